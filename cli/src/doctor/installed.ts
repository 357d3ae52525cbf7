/** Whether the environment is installed on this server, and whether its services run. */
import { existsSync } from 'node:fs'
import { agentUnit, controlUnit } from '../install/places.ts'
import { serviceState } from '../install/services.ts'
import { unitPath } from '../install/unit-step.ts'
import type { Check } from './check.ts'

const about = { capability: 'Projects as system units', name: 'installed as services' }

/** Nothing to say where there is no systemd. */
export function checkInstalled(): Check[] {
  if (!existsSync('/run/systemd/system')) return []
  const units = [controlUnit, agentUnit]
  const missing = units.filter(unit => !existsSync(unitPath(unit)))
  if (missing.length === units.length) {
    const remedy = 'run qd install as root; to try it out, npm start is enough'
    return [{ ...about, required: false, ok: false, found: 'no', remedy }]
  }
  const states = units.map(unit => ({ unit, state: stateOf(unit, missing) }))
  const down = states.filter(({ state }) => state !== 'active').map(({ unit }) => unit)
  const found = states.map(({ unit, state }) => `${unit} ${state}`).join(', ')
  const remedy = `run qd install again as root; journalctl -u ${down.join(' -u ')} has the cause`
  return [{ ...about, required: true, ok: down.length === 0, found, remedy: down.length > 0 ? remedy : null }]
}

const stateOf = (unit: string, missing: readonly string[]): string =>
  missing.includes(unit) ? 'missing' : serviceState(unit).active
