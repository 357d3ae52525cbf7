/** Some lines of what a unit itself has written. */
import { unitLog } from './agent-message.ts'
import { document } from './document.ts'

export const unitLogDocument = document('unit-log', unitLog, {
  lines: ['listening on 0.0.0.0:8101'],
  next: 26,
})
