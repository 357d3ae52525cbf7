export { auditReader, pruneAudit } from './audit.ts'
export { auditRoutes } from './routes.ts'
