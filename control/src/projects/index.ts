export { type Archiving, archiveProject } from './archiving.ts'
export { followGateway, type GatewayRoute } from './gateway.ts'
export {
  type BusyForPlan,
  busyForPlan,
  type ProjectsPlan,
  performProjects,
  planProjects,
} from './plan.ts'
export { Projects, type ProjectsOptions } from './projects.ts'
export { projectRoutes } from './routes.ts'
export { placedOf, type StoredProject, storedOf, webOf } from './stored-project.ts'
export { removeArchivedUnits, removeUnits, type UnitVariables } from './units.ts'
