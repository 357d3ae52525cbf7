/** What a message says, before any channel puts it into its own form. All text in it is clean: one line, no secrets, bounded. */
import type { Severity } from '@quarterdeck/contract'
import type { Telling } from './problem-state.ts'

export type NoticeState =
  | 'firing'
  | 'acknowledged'
  | 'silenced'
  | 'maintenance'
  | 'source_lost'
  | 'resolved'
  | 'notice'

export interface NoticeAlert {
  readonly id: string
  readonly fingerprint: string
  readonly state: 'firing' | 'source_lost' | 'resolved'
  readonly severity: Severity
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAt: string
  readonly endedAt: string | null
  readonly generatorUrl: string
  readonly acknowledgedBy: string | null
}

export interface Notice {
  readonly problemId: string
  readonly version: number
  /** Why it is told aloud; null: it is only shown. */
  readonly telling: Telling | null
  readonly state: NoticeState
  /** A drill. */
  readonly test: boolean
  readonly severity: Severity
  readonly title: string
  /** dns, connect, tls, …: why a probe failed. */
  readonly reason: string | null
  readonly groupKey: string
  readonly groupLabels: Readonly<Record<string, string>>
  readonly since: string
  readonly endedAt: string | null
  /** When it was written down, for "how long ago". */
  readonly at: string
  readonly alerts: readonly NoticeAlert[]
  /** Alerts that are not among them. */
  readonly more: number
  readonly open: number
  readonly acknowledgedBy: string | null
  readonly service: string | null
  readonly deploy: { readonly sha: string; readonly by: string; readonly at: string } | null
  /** Services that are quiet because this one is down. */
  readonly alsoDown: readonly string[]
  readonly links: {
    /** The service’s own page. */
    readonly status: string | null
    readonly panel: string
    readonly runbook: string | null
    readonly source: string | null
  }
}
