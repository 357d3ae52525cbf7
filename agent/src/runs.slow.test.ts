/** Orders that come twice, wait, or cannot be taken; and what is kept of them. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { hangIn } from './hanging-under-test.ts'
import { openJournal } from './journal.ts'
import { agentUnderTest } from './under-test.ts'

test('an order that comes twice is done once', async () => {
  await using here = await agentUnderTest()
  const sha = here.commit()
  const run = here.begin()
  here.control.order(run.order, 0)
  expect(await run.ended).toMatchObject({ status: 'succeeded' })
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
  expect(here.starts()).toEqual([`web ${sha}`, `web ${sha}`])
})

test('a run that is over is told again and not done again, also once it is recorded', async () => {
  await using here = await agentUnderTest()
  here.commit()
  const run = here.begin()
  const first = await run.ended
  for (const isRecorded of [false, true]) {
    if (isRecorded) here.control.send({ type: 'recorded', run_id: run.id })
    here.control.told.length = 0
    expect(await here.control.run(run.order)).toEqual(first)
    expect(here.control.log(run.id).at(0)?.seq).toBe(1)
  }
  await here.restartAgent()
  here.control.told.length = 0
  expect(await here.control.run(run.order)).toEqual(first)
  expect(here.starts()).toHaveLength(1)
})

test('runs of one project come one after the other, in the order of their coming', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const { run, release } = await hangIn('verify', here)
  const next = here.begin()
  await release()
  const [first, second] = await Promise.all([run.ended, next.ended])
  expect([first.status, second.status]).toEqual(['succeeded', 'succeeded'])
  const [verified, fetched] = [first.progress.steps.at(-1)!, second.progress.steps[0]!]
  expect(verified.ended_at! <= fetched.started_at!).toBe(true)
})

test('an order that could not be written down is not begun, and is taken when it comes again', async () => {
  let isFull = true
  await using here = await agentUnderTest({
    async openJournal(file) {
      const journal = await openJournal(file)
      const { write } = journal
      journal.write = async entry => {
        if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        return await write.call(journal, entry)
      }
      return journal
    },
  })
  const sha = here.commit()
  const run = here.begin()
  await until('it is in the agent’s log', () => here.log.text().includes('no space left'))
  isFull = false
  expect(await here.control.run(run.order)).toMatchObject({ status: 'succeeded' })
  expect(here.starts()).toEqual([`web ${sha}`])
})

test('runs of different projects go side by side', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const { run, release } = await hangIn('verify', here)
  const processes = [{ ...here.project.processes[0]!, port: await freePort() }]
  const other = { ...here.project, name: 'other', processes }
  expect(await here.deploy({ project: other })).toMatchObject({ status: 'succeeded' })
  expect(here.hasEnded(run.id)).toBe(false)
  await release()
  expect(await run.ended).toMatchObject({ status: 'succeeded' })
})

test('of runs that control has recorded, the newest 200 are kept, and all that it has not', async () => {
  await using here = await agentUnderTest()
  const runs = join(here.home, 'agent', 'runs')
  for (let number = 0; number < 250; number++) {
    const journal = await openJournal(join(runs, `0000-${String(number).padStart(3, '0')}`, 'journal'))
    if (number !== 7) await journal.write({ entry: 'recorded' })
    await journal.close()
  }
  here.commit()
  const run = here.begin()
  await run.ended
  here.control.send({ type: 'recorded', run_id: run.id })
  await until('old ones are gone', () => readdirSync(runs).length <= 201)
  expect(readdirSync(runs)).toContain('0000-007')
  expect(readdirSync(runs)).not.toContain('0000-008')
  expect(readdirSync(runs)).toContain(run.id)
})

test('nothing but the journal and the log is kept of a run', async () => {
  await using here = await agentUnderTest()
  here.commit()
  const run = here.begin()
  await run.ended
  expect(readdirSync(join(here.home, 'agent', 'runs', run.id)).toSorted()).toEqual(['journal', 'log'])
  expect(existsSync(join(here.layout.root, 'work.new'))).toBe(false)
})
