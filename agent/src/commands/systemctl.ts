/** The programs behind units by systemd, as data. They are never started here. */
import type { Program } from '../runner.ts'

/** Fixed words, whatever the machine's language: they are read by us. */
const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

const program = (file: string, ...args: string[]): Program => ({ file, args, cwd: '/', env })
const systemctl = (...args: string[]): Program => program('systemctl', '--no-ask-password', ...args)

export const askVersion = (): Program => systemctl('--version')

/** One block of `Key=value` lines per unit, with an empty line between; units that do not exist have one, too. */
export const showUnits = (units: readonly string[], properties: readonly string[]): Program =>
  systemctl('show', '--timestamp=us+utc', `--property=${properties.join(',')}`, '--', ...units)

/** Every service that systemd has loaded, one to a line. */
export const listServices = (): Program =>
  systemctl('list-units', '--type=service', '--all', '--plain', '--no-legend', '--full')

/** Prints `disabled` for one that could be enabled. */
export const askEnabled = (unit: string): Program => systemctl('is-enabled', '--', unit)

export const daemonReload = (): Program => systemctl('daemon-reload')

/** Clears a start limit that was hit, too. Fails for a unit that is not loaded, which has nothing to reset. */
export const resetFailed = (units: readonly string[]): Program =>
  systemctl('reset-failed', '--quiet', '--', ...units)

/** Returns when they are started, or could not be. */
export const startUnits = (units: readonly string[]): Program => systemctl('start', '--quiet', '--', ...units)

/** Returns when nothing of them is left. */
export const stopUnits = (units: readonly string[]): Program => systemctl('stop', '--quiet', '--', ...units)

/** Ends at once whatever is in the unit's control group. */
export const killUnit = (unit: string): Program => systemctl('kill', '--signal=SIGKILL', '--', unit)

/** Come up with the machine. Without a reload: whoever changes files reloads once. */
export const enableUnits = (units: readonly string[]): Program =>
  systemctl('enable', '--no-reload', '--quiet', '--', ...units)

export const disableUnits = (units: readonly string[]): Program =>
  systemctl('disable', '--no-reload', '--quiet', '--', ...units)

/** Waits until the journal has written what it was sent. */
export const syncJournal = (): Program => program('journalctl', '--quiet', '--sync')

export interface JournalQuestion {
  readonly unit: string
  /** Only the last so many, newest first. */
  readonly last?: number
  /** From this moment on, in microseconds since 1970. */
  readonly sinceUs?: number
}

/**
 * What the unit's own processes wrote, not what systemd says of it. `--all`: else a long message comes as null.
 * `--reverse`: `--lines` counts from the start of a range in systemd 252, and from its end in others.
 * One JSON object per line.
 */
export function readJournal({ unit, last, sinceUs }: JournalQuestion): Program {
  const range = sinceUs === undefined ? [] : [`--since=@${secondsOf(sinceUs)}`]
  const count = last === undefined ? [] : ['--reverse', `--lines=${last}`]
  const format = ['--quiet', '--no-pager', '--all', '--output=json', '--output-fields=MESSAGE']
  return program('journalctl', ...format, ...range, ...count, `_SYSTEMD_UNIT=${unit}`)
}

/** As text, because a fraction of a second in microseconds does not survive as a floating-point number. */
function secondsOf(us: number): string {
  return `${Math.floor(us / 1_000_000)}.${String(us % 1_000_000).padStart(6, '0')}`
}
