export { PrivateRepositories } from './private-repositories.ts'
export { repositoryAccessRoutes } from './routes.ts'
