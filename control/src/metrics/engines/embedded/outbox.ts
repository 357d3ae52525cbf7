/** Tells of alerts that fire and of those that have ended, as often as Prometheus would: at once, and again every minute. */
import type { PostedAlert } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Alert } from './alert.ts'

const againMs = 60_000

export type TellAlerts = (alerts: readonly PostedAlert[]) => Promise<void>

export interface OutboxOptions {
  readonly tell: TellAlerts
  readonly clock: Clock
  readonly log: Logger
}

export class Outbox {
  readonly #options: OutboxOptions
  /** In monotonic time: a clock that is set makes nobody fall silent. */
  readonly #told = new WeakMap<Alert, { readonly state: Alert['state']; readonly atMs: number }>()
  /** Of rules that are gone, until that is told. */
  #ended: readonly Alert[] = []
  #telling: Promise<void> | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** One message at a time; what could not be told is told after the next evaluation. */
  send(alerts: readonly Alert[]): void {
    if (this.#telling) return
    const { tell, clock, log } = this.#options
    const atMs = clock.monotonicMs()
    const due = [...this.#ended, ...alerts.filter(alert => this.#isDue(alert, atMs))].map(alert => ({
      alert,
      state: alert.state,
    }))
    if (due.length === 0) return
    this.#telling = tell(due.map(({ alert }) => posted(alert)))
      .then(() => {
        for (const { alert, state } of due) this.#told.set(alert, { state, atMs })
        this.#ended = this.#ended.filter(alert => !this.#told.has(alert))
      })
      .catch(error => log.warn({ err: error }, 'alerts could not be told; they are told again'))
      .finally(() => {
        this.#telling = undefined
      })
  }

  /** Rules that are gone have no more alerts: what fired by them has ended. */
  async end(alerts: readonly Alert[], atMs: number): Promise<void> {
    const ended = alerts.flatMap(({ ...alert }): Alert[] => {
      if (alert.state === 'firing') return [{ ...alert, state: 'resolved', resolvedAtMs: atMs }]
      return alert.state === 'resolved' ? [alert] : []
    })
    this.#ended = [...this.#ended, ...ended]
    await this.#telling
    this.send([])
    await this.#telling
  }

  /** It has ended, and that is still to be told. */
  owes(alert: Alert): boolean {
    return alert.state === 'resolved' && this.#told.get(alert)?.state !== 'resolved'
  }

  async settled(): Promise<void> {
    await this.#telling
  }

  #isDue(alert: Alert, atMs: number): boolean {
    if (alert.state === 'pending') return false
    const told = this.#told.get(alert)
    return told?.state !== alert.state || atMs - told.atMs >= againMs
  }
}

const posted = ({ labels, annotations, firedAtMs, activeAtMs, state, resolvedAtMs }: Alert): PostedAlert => ({
  labels: labels.record(),
  annotations: { ...annotations },
  startsAt: new Date(firedAtMs ?? activeAtMs).toISOString(),
  ...(state === 'resolved' && { endsAt: new Date(resolvedAtMs!).toISOString() }),
})
