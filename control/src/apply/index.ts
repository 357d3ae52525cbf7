export { applyRoutes } from './routes.ts'
