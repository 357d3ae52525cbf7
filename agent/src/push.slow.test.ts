/** A forge's pushes, through real runs on a real repository. */
import { expect, test } from 'vitest'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

const paths = ['service.py', 'app/', 'requirements.txt']
const push = (here: AgentUnderTest, ref: string, ...since: string[]) =>
  here.deploy({ ref, only_for: { since, paths } })

test('a push that changes only other files leaves the service alone, and says why', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  const before = await here.version()
  const second = here.remote.commit({ 'README.md': 'two' })
  const ended = await push(here, second, first)
  expect(ended).toMatchObject({ status: 'superseded', unchanged: true, error: null })
  expect(ended.progress).toMatchObject({ ref_sha: second, sha: second })
  const why = `There is no change in service.py, app/, requirements.txt between ${first.slice(0, 7)} and ${second.slice(0, 7)}.`
  expect(ended.progress.steps).toMatchObject([{ name: 'fetch', status: 'succeeded', detail: why }])
  expect(here.textOf(ended)).toContain(why)
  expect(await here.version()).toEqual(before)
  expect(here.head()).toBe(first)
})

test('of two pushes that became one run, the older one’s change is deployed with the newer commit', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  here.remote.commit({ 'app/x.py': 'relevant' })
  const third = here.remote.commit({ 'README.md': 'not' })
  expect(await push(here, third, first)).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha: third })
})

test('a push that was told of late is nothing to do, although its commit was deployed before', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  const second = here.remote.commit({ 'app/x.py': 'relevant' })
  expect(await push(here, second, first)).toMatchObject({ status: 'succeeded' })
  const again = await here.deploy({ ref: first, sent_before: [first], only_for: { since: [first], paths } })
  expect(again).toMatchObject({ status: 'superseded' })
  expect(again).not.toHaveProperty('unchanged')
  expect(await push(here, second, first)).toMatchObject({ status: 'superseded' })
  expect(await here.version()).toMatchObject({ sha: second })
})

test('a force push counts as changed in everything: the run says that the branch was rewritten', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const gone = here.remote.commit({ 'README.md': 'gone' })
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
  here.remote.git('reset', '--quiet', '--hard', 'HEAD~1')
  const after = here.remote.commit({ 'README.md': 'instead' })
  expect(await push(here, after, gone)).toMatchObject({
    status: 'failed',
    error: { code: 'history_rewritten' },
  })
  expect(await here.version()).toMatchObject({ sha: gone })
})
