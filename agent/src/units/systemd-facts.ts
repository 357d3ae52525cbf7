/** What `systemctl show` says of units. */
import { constants } from 'node:os'
import type { UnitEnd } from './unit-engine.ts'

export const shownProperties = [
  'Id',
  'LoadState',
  'LoadError',
  'ActiveState',
  'SubState',
  'NeedDaemonReload',
  'MainPID',
  'InvocationID',
  'NRestarts',
  'Result',
  'ExecMainCode',
  'ExecMainStatus',
  'StateChangeTimestamp',
  'TriggeredBy',
] as const

export interface UnitFacts {
  readonly loadState: string
  readonly loadError: string
  readonly activeState: string
  readonly subState: string
  readonly needsReload: boolean
  /** Of the process that runs; null: none does. */
  readonly pid: number | null
  /** Another one for every start, also those that systemd makes on its own. Empty: not started since it was loaded. */
  readonly invocation: string
  readonly restarts: number
  readonly result: string
  /** Of the process that ran last; undefined: none has ended yet. */
  readonly end: UnitEnd | undefined
  readonly exitStatus: number
  readonly since: string | null
  /** Sockets, timers and paths that start it. */
  readonly triggers: readonly string[]
}

/** By unit name. */
export function readFacts(shown: string): Map<string, UnitFacts> {
  return new Map(
    readShown(shown).map(value => [value.get('Id') ?? '', factsOf(name => value.get(name) ?? '')]),
  )
}

/** Each unit's properties by name. */
export function readShown(shown: string): ReadonlyMap<string, string>[] {
  const blocks = shown.split(/\n\n+/).filter(block => block.trim() !== '')
  return blocks.map(block => new Map(block.split('\n').map(line => cutAtEquals(line))))
}

/** Not loaded, never started: what is known of a unit before anybody asked. */
export const noFacts: UnitFacts = factsOf(() => '')

function factsOf(value: (name: (typeof shownProperties)[number]) => string): UnitFacts {
  const pid = Number(value('MainPID'))
  return {
    loadState: value('LoadState'),
    loadError: value('LoadError'),
    activeState: value('ActiveState'),
    subState: value('SubState'),
    needsReload: value('NeedDaemonReload') === 'yes',
    pid: pid > 0 ? pid : null,
    invocation: value('InvocationID'),
    restarts: Number(value('NRestarts')) || 0,
    result: value('Result'),
    end: pid > 0 ? undefined : endOf(Number(value('ExecMainCode')), Number(value('ExecMainStatus'))),
    exitStatus: Number(value('ExecMainStatus')) || 0,
    since: timeOf(value('StateChangeTimestamp')),
    triggers: value('TriggeredBy').split(' ').filter(Boolean),
  }
}

function cutAtEquals(line: string): [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}

/** CLD_EXITED, CLD_KILLED and CLD_DUMPED, as waitid(2) numbers them. */
function endOf(code: number, status: number): UnitEnd | undefined {
  if (code === 1) return { code: status, signal: null }
  if (code === 2 || code === 3) return { code: null, signal: signalName(status) }
  return undefined
}

function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number)
  return found?.[0] ?? `signal ${number}`
}

/** `Sun 2026-11-15 06:23:39.123456 UTC`; empty where there is none. */
function timeOf(text: string): string | null {
  const found = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,3})?/.exec(text)
  return found ? new Date(`${found[1]}T${found[2]}${found[3] ?? ''}Z`).toISOString() : null
}
