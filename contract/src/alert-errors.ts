/** Why something about alerts cannot be done. */
import { type ErrorEntry, refused } from './error-entry.ts'

export const alertErrors = {
  channel_exists: refused(
    409,
    'Channel exists already',
    'Another channel has this name.',
    'Choose another name, or change the channel that is there: `qd channel list` shows them.',
  ),
  alert_over: refused(
    409,
    'The alert has ended',
    'An alert that has ended can neither be acknowledged nor ended.',
    'Look at what is open with `qd alert list`.',
  ),
  alert_reported: refused(
    409,
    'The alert is still reported',
    'Its source says that it fires. Only an alert whose source is lost can be ended by hand.',
    'Mend what it tells of, acknowledge it with `qd alert ack`, or silence it with `qd silence add`.',
  ),
} as const satisfies Record<string, ErrorEntry>
