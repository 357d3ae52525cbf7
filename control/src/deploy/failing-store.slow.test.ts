/** What callers and agents see while the store cannot take anything. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Postgres, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { commit, projectUnderTest } from './under-test.ts'

test('503 with Retry-After on a full disk, nothing is accepted, and it goes on when there is room', async context => {
  if (process.getuid?.() !== 0) context.skip('only root can mount a small disk')
  const home = join(temporaryDirectory(), 'home')
  mkdirSync(home)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'qd-small-home', home], { stdio: 'pipe' })
  } catch {
    context.skip('this machine does not let root mount')
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', home]))
  const { push, runs } = await projectUnderTest(await controlUnderTest({ home }))
  fillUp(join(home, 'filler'))
  // A little still fits into what the log had been given before.
  let accepted = 0
  const refused = await until('nothing more fits', async () => {
    const reply = await push(commit(accepted + 1))
    if (reply.status === 202) accepted++
    return reply.status !== 202 && reply
  })
  expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([
    503,
    'store_full',
    '5',
  ])
  expect(await runs()).toHaveLength(accepted)
  writeFileSync(join(home, 'filler'), '')
  expect((await push(commit(99))).status).toBe(202)
  expect(await runs()).toHaveLength(accepted + 1)
})

test('503 with Retry-After while PostgreSQL is away, and what it had is there afterwards', async context => {
  if (Postgres.missing()) context.skip(Postgres.missing())
  const postgres = await Postgres.start()
  onTestFinished(() => postgres.remove())
  const database = { engine: 'postgres', url: await postgres.database() } as const
  const { push, runs } = await projectUnderTest(await controlUnderTest({ database }))
  const first = await push(commit(1))
  await postgres.down()
  const refused = await push(commit(2))
  expect([refused.status, refused.json.code]).toEqual([503, 'store_unavailable'])
  expect(refused.headers['retry-after']).toBe('5')
  await postgres.up()
  const { json } = await until('it is taken', async () => {
    const reply = await push(commit(3))
    return reply.status === 202 && reply
  })
  expect((await runs()).map(({ id }: { id: string }) => id)).toEqual([json.id, first.json.id])
}, 60_000)

test('an end that cannot be stored is asked for again until it is, and acknowledged only then', async () => {
  const under = await controlUnderTest()
  const { pushed, is, run } = await projectUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  const id = await pushed(commit(1))
  await agent.ordered(id)
  const database = new DatabaseSync(join(under.config.home, 'database.sqlite'), { timeout: 5000 })
  onTestFinished(() => database.close())
  database.exec(
    "CREATE TRIGGER refusing BEFORE UPDATE ON run WHEN NEW.status = 'succeeded' BEGIN SELECT RAISE(ABORT, 'no'); END",
  )
  // As the real one does: an order that it knows is answered with all that it knows.
  agent.onOrder = () => agent.end(id)
  agent.end(id)
  await agent.ordered(id, 2)
  expect([agent.heardOf('recorded', id), (await run(id)).status]).toEqual([0, 'running'])
  database.exec('DROP TRIGGER refusing')
  await is(id, 'succeeded')
  await until('it is acknowledged', () => agent.heardOf('recorded', id) > 0)
})

test('log lines that could not be stored are asked for again, also when later ones were', async () => {
  const under = await controlUnderTest()
  const { pushed, api } = await projectUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  const id = await pushed(commit(1))
  await agent.ordered(id)
  const database = new DatabaseSync(join(under.config.home, 'database.sqlite'), { timeout: 5000 })
  onTestFinished(() => database.close())
  database.exec(
    "CREATE TRIGGER refusing BEFORE INSERT ON run_log WHEN NEW.seq = 1 BEGIN SELECT RAISE(ABORT, 'no'); END",
  )
  agent.log(id, [{ seq: 1, text: 'one' }])
  agent.log(id, [{ seq: 2, text: 'two' }])
  expect((await agent.ordered(id, 2)).log_after).toBe(0)
  database.exec('DROP TRIGGER refusing')
  agent.log(id, [
    { seq: 1, text: 'one' },
    { seq: 2, text: 'again' },
  ])
  const text = await until('it is whole', async () => {
    const log = await api(`/api/runs/${id}/log`)
    return log.text.includes('one') && log.text
  })
  expect(text.split('\n').map(line => line.slice(36))).toEqual(['one', 'two', ''])
})

/** Writes until nothing more fits. */
function fillUp(file: string): void {
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch {
      // smaller pieces may still fit
    }
  }
}
