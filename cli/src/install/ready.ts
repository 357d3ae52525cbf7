/** Waits until what was started answers, and says why if it does not. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Running, runningOn } from '@quarterdeck/control/client'
import { systemClock } from '@quarterdeck/kit'
import { ask } from '../client.ts'
import { GuidedFault } from '../fail.ts'
import { agentUnit, controlUnit, places } from './places.ts'
import { run } from './run.ts'
import { serviceState } from './services.ts'

const units = [controlUnit, agentUnit]
const limitMs = 60_000
const pauseMs = 100
/** By itself while we wait; after more it is not going to stay. */
const restartsAllowed = 1
/** A command that fails says what is wrong, and the way out. */
const logLines = 2

export async function untilReady(): Promise<Running> {
  const before = restartsOf()
  const endMs = systemClock.now().getTime() + limitMs
  while (systemClock.now().getTime() < endMs) {
    const running = runningOn(places.control)
    if (running && isUp(agentUnit) && (await answers(running))) return running
    const now = restartsOf()
    const unsteady = units.find((_, i) => now[i]! - before[i]! > restartsAllowed)
    if (unsteady) throw notUp(unsteady, 'does not stay up')
    await wait(pauseMs)
  }
  throw notUp(isUp(agentUnit) ? controlUnit : agentUnit, `is not ready within ${limitMs / 1000} s`)
}

const restartsOf = () => units.map(unit => serviceState(unit).restarts)

const isUp = (unit: string) => serviceState(unit).active === 'active'

async function answers({ address, port }: Running): Promise<boolean> {
  const host = address.includes(':') ? `[${address}]` : address
  const answer = await ask(`http://${host}:${port}/readyz`).catch(() => undefined)
  return answer?.status === 200
}

function notUp(unit: string, problem: string): GuidedFault {
  // By this field it is what the service itself has said, without what systemd says of it.
  const said = run('journalctl', '--output=cat', `--lines=${logLines}`, `_SYSTEMD_UNIT=${unit}`).stdout
  const log = said.trim().replaceAll(/\s*\n\s*/g, ' ')
  return new GuidedFault(
    'control_unreachable',
    `Everything is in place, but ${unit} ${problem}. Its log ends with: ${log}`,
    `Mend what it names, then run qd install again. The whole log: journalctl -u ${unit}`,
  )
}
