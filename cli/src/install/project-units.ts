/** What runs for projects: the units that the agent has generated, and what it has under way. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { sealOf } from '@quarterdeck/contract'
import { places } from './places.ts'
import { stopping } from './services.ts'
import type { Act } from './step.ts'
import { unitPath, unitRemoval } from './unit-step.ts'
import { textOf } from './whole-file.ts'

/** Sockets and timers first: each would start its service again. */
const kinds = ['socket', 'timer', 'service']

/** A unit of such a name that someone else wrote stays. */
export function projectUnitRemovals(): Act[] {
  const files = kinds.flatMap(kind => generated(`qd-*.${kind}`))
  return [
    ...globSync('qd-*.{service,scope}', { cwd: places.transientUnits }).map(ending),
    ...files.map(stopping),
    ...files.map(file => unitRemoval(unitPath(file))),
  ]
}

const generated = (pattern: string): string[] =>
  globSync(pattern, { cwd: places.units }).filter(
    file => sealOf(textOf(join(places.units, file)) ?? '') !== 'foreign',
  )

/** An installer or a project's own step: nobody waits for it any more. */
const ending = (unit: string): Act => ({ ...stopping(unit), what: `end ${unit}` })
