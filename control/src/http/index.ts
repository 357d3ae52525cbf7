export { type Access, type App, createApp } from './app.ts'
export { bySystem, type Caller, type Identity, nobody, type Origin } from './caller.ts'
export { type Cursor, cursorOf, type Paged, pageOf } from './cursor.ts'
export type { PublishedAt, Servable } from './documents.ts'
export { finderOf } from './documents.ts'
export { pruneIdempotencyKeys } from './idempotency.ts'
export { checked, mount } from './mount.ts'
export { PerMinute } from './per-minute.ts'
export { Published, type PublishedHeaders } from './published.ts'
export {
  type Arriving,
  type Asked,
  answer,
  type Call,
  type End,
  type RawCall,
  type Response,
  type Route,
  raw,
  read,
  respond,
  serve,
  stream,
  write,
} from './route.ts'
export { serverSent } from './server-sent.ts'
export { UnprovenBodies } from './unproven-bodies.ts'
