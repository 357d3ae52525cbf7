import { type Forge, forgeDocument, hookCreatedDocument } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { qd, standIn, startQd } from '../under-test.ts'

const forge = forgeDocument.example as Forge
const none: Forge = { hook: null, statuses: null }
const secret = `qd_hook_${'h'.repeat(43)}`

const routes = {
  'POST /api/projects/hello/forge/hook': () => ({ ...(hookCreatedDocument.example as object), secret }),
  'PUT /api/projects/hello/forge/statuses': () => forge,
  'GET /api/projects/hello/forge': () => forge,
  'DELETE /api/projects/hello/forge/hook': () => undefined,
  'DELETE /api/projects/hello/forge/statuses': () => undefined,
}

test('the secret of a hook is alone on standard output, and where to put it on the other', async () => {
  const { home, asked } = await standIn(routes)
  const made = await qd('forge', 'hook', 'hello', '--home', home)
  expect(made).toMatchObject({ code: 0, stdout: `${secret}\n` })
  expect(made.stderr).toContain('https://admin.example.com/api/hooks/hello')
  expect(made.stderr).toContain('application/json')
  await qd('forge', 'hook', 'hello', '--rotate', '--home', home)
  expect(asked.map(({ body }) => body)).toEqual([{ rotate: false }, { rotate: true }])
})

test('the token for statuses comes by standard input, and nothing else', async () => {
  const { home, asked } = await standIn(routes)
  const args = ['forge', 'statuses', 'hello', '--kind', 'gitea', '--api-url', 'https://git.example.com']
  const without = await qd(...args, '--home', home)
  expect(without).toMatchObject({ code: 3, stderr: expect.stringContaining('--token-stdin') })
  expect(asked).toEqual([])
  const { child, ended } = startQd([...args, '--token-stdin', '--home', home], {}, 'sentinel\n')
  expect(child.spawnargs).not.toContain('sentinel')
  const done = await ended
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('https://api.github.com') })
  expect(done.stdout + done.stderr).not.toContain('sentinel')
  expect(asked[0]?.body).toEqual({ kind: 'gitea', api_url: 'https://git.example.com', token: 'sentinel' })
  expect((await qd('forge', 'statuses', 'hello', '--kind', 'svn', '--home', home)).code).toBe(2)
})

test('what is set is shown, with what goes wrong, and what to do where nothing is', async () => {
  const { home, routes: now } = await standIn(routes)
  const shown = async () => (await qd('forge', 'show', 'hello', '--home', home)).stdout
  expect(await shown()).toBe(
    [
      'hello',
      '  Webhook       https://admin.example.com/api/hooks/hello',
      '  Secret made   2026-03-01T10:00:00Z',
      '  Last push     2026-03-02T09:14:05Z',
      '  Statuses      github, https://api.github.com',
      '  Last written  2026-03-02T09:14:53Z',
      '',
    ].join('\n'),
  )
  const problem = 'api.github.com answered 401: the token is wrong or has expired.'
  now['GET /api/projects/hello/forge'] = () => ({ ...forge, statuses: { ...forge.statuses, problem } })
  expect(await shown()).toContain(`  Problem       ${problem}\n`)
  now['GET /api/projects/hello/forge'] = () => none
  expect(await shown()).toContain('not taken; `qd forge hook hello` makes its secret')
})

test('one of both or both are removed, and only when that is said', async () => {
  const { home, asked } = await standIn(routes)
  const removed = async (...args: string[]) => {
    asked.length = 0
    const { code } = await qd('forge', 'remove', 'hello', ...args, '--home', home)
    return [code, ...asked.map(({ route }) => route).filter(route => route.startsWith('DELETE'))]
  }
  const [hook, statuses] = ['hook', 'statuses'].map(part => `DELETE /api/projects/hello/forge/${part}`)
  expect(await removed()).toEqual([3])
  expect(await removed('--yes')).toEqual([0, hook, statuses])
  expect(await removed('--yes', '--hook')).toEqual([0, hook])
  expect(await removed('--yes', '--statuses')).toEqual([0, statuses])
})
