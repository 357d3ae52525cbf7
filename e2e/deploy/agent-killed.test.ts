/** The agent alone is killed before and after every entry of its journal, while control lives on and waits for it. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { environmentOf, startScript } from '../environment.ts'
import { killAtFile } from './killing-journal.ts'
import { addProject, ended, starts, version } from './placed.ts'
import { repository } from './repository.ts'

const script = (name: string) => join(import.meta.dirname, `${name}.ts`)

/** Every entry of a run that is taken back, in order: it passes through all that a good one has, too. */
const entries = [
  'accepted',
  'began',
  'decided',
  'moving',
  'installing',
  'switching',
  'restarting',
  'verifying',
  'taking_back',
  'restarting_back',
  'ended',
  'recorded',
]

function startAgent(home: string, socket: string): ChildProcess {
  const agent = startScript(script('killed-agent'), [home, socket])
  onTestFinished(() => void agent.kill('SIGKILL'))
  return agent
}

test('a run whose agent is killed ends when the agent is back, each commit started once', {
  timeout: 600_000,
}, async () => {
  const home = temporaryDirectory()
  const socket = join(home, 'link')
  const environment = await environmentOf(
    startScript(script('killed-control'), [home, socket, 'Infinity']),
    home,
  )
  const { url, push } = repository()
  await addProject(environment, url)
  const deploy = async (ref: string) =>
    (await environment.call('POST', '/api/projects/hello/runs', { ref })).json.id
  let agent = startAgent(home, socket)
  const good = push('good')
  expect((await ended(environment, await deploy(good))).error).toBeNull()

  for (const moment of entries.flatMap(entry => [`${entry} before`, `${entry} after`])) {
    const before = starts(home).length
    const bad = push('exits')
    const dead = once(agent, 'exit')
    writeFileSync(killAtFile(home), moment)
    const id = await deploy(bad)
    await dead
    rmSync(killAtFile(home))
    agent = startAgent(home, socket)
    const run = await ended(environment, id)
    expect([moment, run.status, run.restored_sha]).toEqual([moment, 'failed', good])
    expect([moment, starts(home).slice(before)]).toEqual([moment, [bad, good]])
    expect([moment, await version(environment)]).toEqual([moment, good])
  }

  const better = push('good')
  expect((await ended(environment, await deploy(better))).error).toBeNull()
  expect(await version(environment)).toBe(better)
})
