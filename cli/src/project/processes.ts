/** The processes of a project, from what is there and what the command line says. */
import type { Project } from '@quarterdeck/contract'
import { GuidedFault } from '../fail.ts'
import type { SettingOptions } from './settings.ts'

type Process = Project['processes'][number]
/** A web process without a port is given a free one. */
type WantedProcess = Pick<Process, 'name' | 'start'> & Partial<Omit<Process, 'name' | 'start'>>

export interface WantedProcesses extends Pick<SettingOptions, 'port' | 'socket' | 'process' | 'timer'> {
  /** What stands after `--`: the web process. */
  start: readonly string[]
  removeProcess?: string[]
}

/** Whether the command line says anything of processes. */
export const namesProcesses = ({ start, ...others }: WantedProcesses): boolean =>
  start.length > 0 ||
  [others.port, others.socket, others.process, others.timer, others.removeProcess].some(
    option => option !== undefined,
  )

export function wantedProcesses(there: readonly Process[], wanted: WantedProcesses): WantedProcess[] {
  const byName = new Map<string, WantedProcess>(there.map(process => [process.name, { ...process }]))
  for (const name of wanted.removeProcess ?? []) existing(byName, name, 'remove') && byName.delete(name)
  if (wanted.start.length > 0) place(byName, 'web', wanted.start)
  for (const [name, start] of Object.entries(wanted.process ?? {})) place(byName, name, start)
  for (const [name, timer] of Object.entries(wanted.timer ?? {}))
    existing(byName, name, 'timer').timer = timer
  if (wanted.port !== undefined) existing(byName, 'web', 'port').port = wanted.port
  if (wanted.socket !== undefined) existing(byName, 'web', 'socket').socket = wanted.socket
  return [...byName.values()]
}

function place(byName: Map<string, WantedProcess>, name: string, start: readonly string[]): void {
  byName.set(name, { ...byName.get(name), name, start: [...start] })
}

function existing(byName: Map<string, WantedProcess>, name: string, what: string): WantedProcess {
  const process = byName.get(name)
  if (process) return process
  throw new GuidedFault(
    'invalid_fields',
    `There is no process ${name} to ${what === 'remove' ? 'remove' : `give a ${what} to`}.`,
    name === 'web'
      ? 'Give its command after `--`, such as `-- python -m app`.'
      : `Give it with --process '${name}=PROGRAM ARGUMENTS'.`,
  )
}
