/** Why systemd did not start a unit, in a sentence for people. */
import { existsSync, lstatSync } from 'node:fs'
import { RunFault } from '@quarterdeck/contract'
import { startFault } from './start-fault.ts'
import type { UnitFacts } from './systemd-facts.ts'

/** What systemd's own half of a process ends with when the other half could not begin (systemd.exec(5)). */
const firstOfSystemd = 200
const lastOfSystemd = 245
const exec = 203
const steps: Readonly<Record<number, string>> = {
  200: 'its directory does not exist, or its user may not enter it',
  209: 'its output could not be connected to the journal',
  216: 'its group does not exist',
  217: 'its user does not exist',
  218: 'its capabilities could not be set',
  226: 'the file system could not be laid out for it as its unit says',
  228: 'its system calls could not be restricted',
}

/** For systemd a program that ends at once could not be started; for us it was, and its end is told like every other. */
export function hasRun({ end, invocation }: UnitFacts, before: UnitFacts): boolean {
  const isSystemds = end?.code != null && end.code >= firstOfSystemd && end.code <= lastOfSystemd
  return invocation !== before.invocation && end !== undefined && !isSystemds
}

export function systemdFault(
  name: string,
  unit: string,
  place: { file: string; cwd: string },
  facts: UnitFacts,
): RunFault {
  if (facts.exitStatus === exec && facts.end?.code === exec)
    return startFault(name, { ...place, args: [], env: {} }, { code: execError(place.file), message: '' })
  return new RunFault('restart_failed', `${name} could not be started: ${reasonOf(unit, facts)}.`)
}

function reasonOf(unit: string, { loadState, loadError, result, end, exitStatus }: UnitFacts): string {
  if (loadState === 'masked') return `${unit} is masked; "systemctl unmask ${unit}" allows it again`
  if (loadState !== 'loaded' && loadState !== '')
    return `systemd does not take ${unit} (${loadError || loadState}); "systemctl status ${unit}" says more`
  if (result === 'start-limit-hit')
    return 'it ended too often in too short a time, and systemd has given up on it (start limit)'
  if (end?.code === exitStatus && steps[exitStatus]) return steps[exitStatus]
  return `systemd says ${result || 'nothing'}; "journalctl -u ${unit}" says more`
}

/** systemd tells only that the program could not be executed. */
function execError(file: string): string {
  return existsSync(file) && (lstatSync(file).mode & 0o111) === 0 ? 'EACCES' : 'ENOENT'
}
