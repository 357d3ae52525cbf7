/** What is said back in a chat, once what was asked for is on disk. */
import type { Button } from '../channels/telegram-text.ts'

export interface ChatAnswer {
  /** Shown to who pressed a button, for a moment. */
  readonly toast?: string
  /** A message, in HTML. */
  readonly html?: string
  readonly buttons?: readonly (readonly Button[])[]
  /** What is done when all is on disk. */
  readonly afterwards?: () => void
}
