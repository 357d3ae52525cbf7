/**
 * The whole environment, control and agent, is killed before and after every entry of the agent's journal. Whatever the
 * instant, after the next start the run ends once, succeeded or taken back, and no service was started twice.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { type Environment, environmentOf, startScript } from '../environment.ts'
import { killAtFile } from './killing-journal.ts'
import { addProject, ended, starts, version } from './placed.ts'
import { repository } from './repository.ts'

const script = join(import.meta.dirname, 'killed-environment.ts')
const start = (home: string): Promise<Environment> => environmentOf(startScript(script, [home]), home)

const forward = [
  'accepted',
  'began',
  'decided',
  'moving',
  'installing',
  'preparing',
  'prepared',
  'switching',
  'restarting',
  'verifying',
  'verified',
  'ended',
]
const back = ['taking_back', 'restarting_back', 'ended']
const moments = (entries: string[]) => entries.flatMap(entry => [`${entry} before`, `${entry} after`])

/** Deploys, is killed at that moment, and starts again: resolves with the run when it has ended. */
async function deployThroughPowerCut(environment: Environment, ref: string, moment: string) {
  const { home } = environment
  writeFileSync(killAtFile(home), moment)
  const { json } = await environment.call('POST', '/api/projects/hello/runs', { ref })
  await environment.ended
  rmSync(killAtFile(home))
  const next = await start(home)
  return { environment: next, run: await ended(next, json.id) }
}

test('a good commit that meets a power cut is in service afterwards, started once', {
  timeout: 600_000,
}, async () => {
  const home = temporaryDirectory()
  const { url, push } = repository()
  let environment = await start(home)
  await addProject(environment, url, { before_restart: ['python', '-c', 'pass'] })
  for (const moment of moments(forward)) {
    const ref = push('good')
    const done = await deployThroughPowerCut(environment, ref, moment)
    environment = done.environment
    const isUndone = moment === 'preparing after' || moment === 'prepared before'
    expect([moment, done.run.status, done.run.error?.message]).toEqual(
      isUndone
        ? [moment, 'failed', expect.stringContaining('before the restart')]
        : [moment, 'succeeded', undefined],
    )
    if (!isUndone) expect([moment, await version(environment)]).toEqual([moment, ref])
    const own = starts(home).filter(sha => sha === ref)
    expect([moment, own.length]).toEqual([moment, isUndone ? 0 : 1])
  }
})

test('a commit that exits and meets a power cut is taken back, each started once', {
  timeout: 600_000,
}, async () => {
  const home = temporaryDirectory()
  const { url, push } = repository()
  let environment = await start(home)
  await addProject(environment, url)
  const good = push('good')
  const { json } = await environment.call('POST', '/api/projects/hello/runs', { ref: good })
  expect((await ended(environment, json.id)).error).toBeNull()
  for (const moment of moments(['switching', 'restarting', 'verifying', ...back])) {
    const before = starts(home).length
    const bad = push('exits')
    const done = await deployThroughPowerCut(environment, bad, moment)
    environment = done.environment
    expect([moment, done.run.status, done.run.restored_sha]).toEqual([moment, 'failed', good])
    expect([moment, await version(environment)]).toEqual([moment, good])
    expect([moment, starts(home).slice(before)]).toEqual([moment, [bad, good]])
  }
})
