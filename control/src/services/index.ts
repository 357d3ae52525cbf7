export {
  listServices,
  type OwnService,
  readService,
  type ServiceFilter,
  type ServiceSources,
} from './list-services.ts'
export { followServices } from './monitored.ts'
export { ownServices } from './own-services.ts'
export { performServices, planServices, type ServicesPlan } from './plan.ts'
export { serviceRoutes } from './routes.ts'
export { Services, type WatchedService } from './services.ts'
