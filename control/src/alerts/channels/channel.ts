/** The door to a service that takes messages. One file for each kind; `suite.ts` is what each passes. */
import type { Notice } from '../notice.ts'

/** `problem` is one sentence for operators, without secrets. */
export type Outcome =
  /** As the service names the parts of the message; empty where it gives them no names. */
  | { readonly what: 'sent'; readonly ids: readonly string[] }
  /** The service, or the way to it, fails: nothing more is sent to it for a while. `ids`: parts that were sent. */
  | {
      readonly what: 'again'
      readonly problem: string
      /** The service asks to be left alone for so long. */
      readonly afterMs: number
      /** It needs somebody's help, such as a new token. */
      readonly lasting?: boolean
      readonly ids?: readonly string[]
    }
  /** This very message is not taken, whoever tries. */
  | { readonly what: 'never'; readonly problem: string }
  /** What was to be changed is no longer there, or too old. */
  | { readonly what: 'gone'; readonly problem: string }

export interface Channel {
  readonly flags: {
    /** Shows changes in the message that is there; a call for attention is a reply to it. Others send a new message. */
    readonly edits: boolean
    /** Wants to know of changes, too, that nobody has to be called for. */
    readonly every_change: boolean
  }
  /** Where messages go, for people: no secret in it. */
  readonly place: string
  /** Brings the message into the state of the notice: the parts named by `ids` are changed, what is missing is sent. */
  show(ids: readonly string[], notice: Notice, ended: AbortSignal): Promise<Outcome>
  /** Of channels that edit: calls attention to the message. */
  reply(ids: readonly string[], notice: Notice, ended: AbortSignal): Promise<Outcome>
}

export const again = (
  problem: string,
  {
    afterMs = 0,
    lasting = false,
    ids,
  }: { afterMs?: number; lasting?: boolean; ids?: readonly string[] } = {},
): Outcome => ({ what: 'again', problem, afterMs, lasting, ...(ids && { ids }) })

export const never = (problem: string): Outcome => ({ what: 'never', problem })
export const sent = (ids: readonly string[] = []): Outcome => ({ what: 'sent', ids })
