/** Control alone is killed at every message that its agent sends about a run. The run is not disturbed. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { streamLink } from '@quarterdeck/contract'
import { memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type Agent, start } from '../../agent/src/main.ts'
import { type Environment, environmentOf, startScript } from '../environment.ts'
import { addProject, ended, starts, version } from './placed.ts'
import { repository } from './repository.ts'
import { timing } from './timing.ts'

const script = join(import.meta.dirname, 'killed-control.ts')

/** Dials again and again, as an agent on another machine does. */
function keepConnected(agent: Agent, socket: string): void {
  let over = false
  onTestFinished(() => {
    over = true
  })
  const dial = () => {
    if (over) return
    const connection = connect(socket)
    connection.once('close', () => setTimeout(dial, 20))
    connection.once('error', () => undefined)
    connection.once('connect', () => agent.connect(streamLink(connection)))
  }
  dial()
}

test('a run goes on whenever control is killed, and is told in full when it is back', {
  timeout: 600_000,
}, async () => {
  const home = temporaryDirectory()
  const socket = join(home, 'link')
  const startControl = (messages: number): Promise<Environment> =>
    environmentOf(startScript(script, [home, socket, String(messages)]), home)
  let environment = await startControl(Number.POSITIVE_INFINITY)
  const { url, push } = repository()
  await addProject(environment, url)
  const agent = await start({ home, name: 'local', root: home, log: memoryLog().log, timing })
  onTestFinished(() => agent.stop())
  keepConnected(agent, socket)

  let isKilledInTime = true
  for (let messages = 0; isKilledInTime; messages++) {
    await environment.stop('SIGKILL')
    environment = await startControl(messages)
    const ref = push('good')
    const { json } = await environment.call('POST', '/api/projects/hello/runs', { ref })
    isKilledInTime = await Promise.race([
      environment.ended.then(() => true),
      ended(environment, json.id).then(
        () => false,
        () => true,
      ),
    ])
    if (isKilledInTime) environment = await startControl(Number.POSITIVE_INFINITY)
    const run = await ended(environment, json.id)
    expect([messages, run.status, run.steps.map(({ name }) => name)]).toEqual([
      messages,
      'succeeded',
      ['fetch', 'install', 'restart', 'verify'],
    ])
    const log = await environment.ask('admin.localhost', `/api/runs/${json.id}/log`, {
      authorization: `Bearer ${environment.token}`,
    })
    expect([messages, log.text.match(/healthy, ready/g)?.length]).toEqual([messages, 1])
    expect([messages, starts(home).filter(sha => sha === ref).length]).toEqual([messages, 1])
    expect([messages, await version(environment)]).toEqual([messages, ref])
    expect(messages).toBeLessThan(50)
  }
})
