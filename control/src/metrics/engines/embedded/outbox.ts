/** Tells of alerts that fire and of those that have ended, as often as Prometheus would: at once, and again every minute. */
import type { PostedAlert } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import type { Alert } from './alert.ts'

const againMs = 60_000

export type TellAlerts = (alerts: readonly PostedAlert[]) => Promise<void>

export class Outbox {
  readonly #tell: TellAlerts
  readonly #log: Logger
  readonly #told = new WeakMap<Alert, { readonly state: Alert['state']; readonly atMs: number }>()
  #telling: Promise<void> | undefined

  constructor(tell: TellAlerts, log: Logger) {
    this.#tell = tell
    this.#log = log
  }

  /** One message at a time; what could not be told is told after the next evaluation. */
  send(alerts: readonly Alert[], atMs: number): void {
    if (this.#telling) return
    const due = alerts.filter(alert => this.#isDue(alert, atMs)).map(alert => ({ alert, state: alert.state }))
    if (due.length === 0) return
    this.#telling = this.#tell(due.map(({ alert }) => posted(alert)))
      .then(() => {
        for (const { alert, state } of due) this.#told.set(alert, { state, atMs })
      })
      .catch(error => this.#log.warn({ err: error }, 'alerts could not be told; they are told again'))
      .finally(() => {
        this.#telling = undefined
      })
  }

  /** Rules that are gone have no more alerts: what fired by them has ended. */
  async end(alerts: readonly Alert[], atMs: number): Promise<void> {
    await this.#telling
    const fired = alerts.filter(({ state }) => state === 'firing')
    if (fired.length === 0) return
    await this.#tell(fired.map(alert => posted({ ...alert, state: 'resolved', resolvedAtMs: atMs }))).catch(
      error => this.#log.warn({ err: error }, 'alerts of rules that are gone could not be ended'),
    )
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
