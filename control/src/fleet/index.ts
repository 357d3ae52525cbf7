export { openAgentDoor } from './agent-door.ts'
export { Fleet, type Machine } from './fleet.ts'
export { instancesOf } from './instances.ts'
