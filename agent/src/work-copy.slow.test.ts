import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { projectIn, remoteIn } from './repository-under-test.ts'
import { project as projectWith } from './runtimes/under-test.ts'

test('five thousand files with awkward names are fetched, guarded and moved', async () => {
  const home = temporaryDirectory()
  const remote = remoteIn(home)
  const names = Array.from({ length: 5000 }, (_, index) => `d${index % 50}/-f ${index}`)
  const files = Object.fromEntries(names.map(name => [name, `${name}\n`]))
  const first = remote.commit({ ...files, 'a\nb': 'x', '-q"uo\'te': 'y', ':(glob)*': 'z', é: 'e' })
  const project = projectIn(home, remote.directory)
  await project.workCopy.prepare()
  await project.workCopy.moveTo(first)
  const second = remote.commit({ 'a\nb': 'changed', '-q"uo\'te': 'changed' })
  const startMs = performance.now()
  const { workCopy, releases, run } = projectIn(home, remote.directory)
  await workCopy.prepare()
  await workCopy.fetch()
  await workCopy.facts(second, first)
  await workCopy.guard(first)
  await workCopy.moveTo(second)
  const movedMs = performance.now()
  await releases.make(second, run, projectWith({ linked_paths: [] }))
  const madeMs = performance.now()
  expect(readFileSync(join(project.layout.work, 'a\nb'), 'utf8')).toBe('changed')
  expect(readFileSync(join(project.layout.release(second), '-q"uo\'te'), 'utf8')).toBe('changed')
  process.stderr.write(
    `5,000 files: ${Math.round(movedMs - startMs)} ms to the working copy, ${Math.round(madeMs - movedMs)} ms to a release\n`,
  )
  expect(madeMs - startMs).toBeLessThan(10_000)
})
