/** A unit file of ours on disk. What someone has edited is kept beside it. */
import { globSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sealOf } from '@quarterdeck/contract'
import { systemClock } from '@quarterdeck/kit'
import { places } from './places.ts'
import { must, run } from './run.ts'
import type { Act, Step } from './step.ts'
import { hasRights, statOf, textOf, writeWhole } from './whole-file.ts'

const mode = 0o644

export const unitPath = (file: string) => join(places.units, file)

export function unitStep(file: string, wanted: () => string): Step {
  const path = unitPath(file)
  return {
    what: `write ${path}`,
    isDone: () => textOf(path) === wanted() && hasRights(statOf(path), { mode }),
    do() {
      keepEdited(path)
      writeWhole(path, wanted(), { mode })
    },
    undo: unitRemoval(path),
  }
}

export const unitRemoval = (path: string): Act => ({
  what: `remove ${path}`,
  isDone: () => statOf(path) === undefined,
  do() {
    rmSync(path)
    forget(path.slice(path.lastIndexOf('/') + 1))
  },
})

/** Copies that were kept, and drop-ins: somebody's work, which goes only with the data. */
export const remainderRemovals = (pattern: string): Act[] =>
  globSync([`${pattern}.edited-*`, `${pattern}.unfinished`, `${pattern}.d`], { cwd: places.units }).map(
    name => ({
      what: `remove ${unitPath(name)}`,
      isDone: () => statOf(unitPath(name)) === undefined,
      do: () => rmSync(unitPath(name), { recursive: true, force: true }),
    }),
  )

function keepEdited(path: string): void {
  const text = textOf(path)
  if (text === undefined || sealOf(text) === 'whole') return
  const time = systemClock
    .now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')
  renameSync(path, `${path}.edited-${time}`)
}

/** Also that it failed, which would keep it in the lists. */
function forget(unit: string): void {
  must('systemctl', 'daemon-reload')
  run('systemctl', 'reset-failed', '--', unit)
}
