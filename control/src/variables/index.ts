export { variableRoutes } from './routes.ts'
export { Variables } from './variables.ts'
