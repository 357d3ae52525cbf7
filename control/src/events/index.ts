export { Events, type Fact } from './events.ts'
export { type EventReader, runReader } from './reader.ts'
export { eventRoutes } from './routes.ts'
export { Signal } from './signal.ts'
