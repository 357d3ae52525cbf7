export { Deploys } from './deploys.ts'
export { deployRoutes } from './routes.ts'
export { pruneRuns } from './runs.ts'
