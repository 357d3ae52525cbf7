export { variableRoutes } from './routes.ts'
export { isUnreadable } from './sealed-variables.ts'
export { Variables } from './variables.ts'
