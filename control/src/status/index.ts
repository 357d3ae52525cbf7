export { copyName } from './copy.ts'
export { draftReader } from './incidents/draft-reader.ts'
export type { Draft } from './incidents/incidents.ts'
export { StatusPage } from './status-page.ts'
