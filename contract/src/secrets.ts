/** Keeps credentials out of whatever is written: logs, messages, events. */
import { tokenKinds } from './token.ts'

const tokens = new RegExp(`qd_(${tokenKinds.join('|')})_[A-Za-z0-9_-]{8,}`, 'g')
const credentialsInUrl = /\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@"]*):[^\s/@"]+@/gi
const authorization = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi

/** The text with every token, password in a URL and Authorization value replaced by `***`. */
export function maskSecrets(text: string): string {
  return text
    .replace(tokens, 'qd_$1_***')
    .replace(credentialsInUrl, '$1:***@')
    .replace(authorization, '$1 ***')
}
