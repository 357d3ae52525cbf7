export { openAgentDoor } from './agent-door.ts'
export { type AgentPlace, Fleet, type Machine } from './fleet.ts'
export { instancesOf } from './instances.ts'
export type { Restarts } from './restarts.ts'
