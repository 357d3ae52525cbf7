export { History, type HistoryOptions, type Newest } from './history.ts'
export type { Signals } from './increases.ts'
export { type Outage, outageAt } from './outage.ts'
