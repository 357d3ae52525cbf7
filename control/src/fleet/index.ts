export { openAgentDoor } from './agent-door.ts'
export { type AgentPlace, Fleet, type Machine } from './fleet.ts'
export { instancesOf } from './instances.ts'
