export { lookNow, pathOf, serverOf, type WatchedTarget } from './look-at-url.ts'
export { ownServices } from './own-services.ts'
