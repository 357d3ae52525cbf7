/** The environment is stopped, killed and started again. */
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { ask, type Environment, up } from './environment.ts'

const makeToken = ({ port, token }: Environment, label: string): Promise<{ id: string }> => {
  const { promise, resolve, reject } = Promise.withResolvers<{ id: string }>()
  const call = request(
    {
      host: '127.0.0.1',
      port,
      path: '/api/tokens',
      method: 'POST',
      headers: {
        host: 'admin.localhost',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
    },
    response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () =>
        response.statusCode === 201 ? resolve(JSON.parse(text)) : reject(new Error(text)),
      )
      response.on('error', reject)
    },
  )
  call.on('error', reject)
  call.end(JSON.stringify({ label }))
  return promise
}

test('a stop lets a request under way finish, ends streams and leaves nothing behind', async () => {
  const environment = await up(temporaryDirectory())
  const { port, token, home } = environment
  const headers = { host: 'admin.localhost', authorization: `Bearer ${token}` }
  // A request whose body is still on its way when the stop comes.
  const answered = Promise.withResolvers<number | undefined>()
  const slow = request(
    {
      host: '127.0.0.1',
      port,
      path: '/api/tokens',
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': 16 },
    },
    response => {
      expect(response.headers.connection).toBe('close')
      answered.resolve(response.resume().statusCode)
    },
  )
  slow.on('error', answered.reject)
  slow.write('{"label":')
  const stream = ask(port, 'admin.localhost', '/api/events', { authorization: `Bearer ${token}` })
  await until('it is served', async () => (await ask(port, 'admin.localhost', '/healthz')).status === 200)
  environment.process.kill('SIGTERM')
  await until('nothing new is taken', () =>
    ask(port, 'admin.localhost', '/healthz').then(
      () => false,
      () => true,
    ),
  )
  slow.end('"late"}')
  expect(await answered.promise).toBe(201)
  expect((await stream).status).toBe(200)
  const { code, stdout } = await environment.ended
  expect(code).toBe(0)
  expect(stdout).toContain('"msg":"stopped"')
  expect(existsSync(join(home, 'running.json'))).toBe(false)
})

test('whatever was answered before a kill is there after it', async () => {
  const home = temporaryDirectory()
  const first = await up(home)
  const made: string[] = []
  // Each writes until it is no longer answered.
  const writers = Promise.allSettled(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i++) made.push((await makeToken(first, `${writer}-${i}`)).id)
    }),
  )
  await until('some were made', () => made.length >= 40)
  await first.stop('SIGKILL')
  await writers

  const second = await up(home)
  const kept = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/api/tokens?limit=200${cursor && `&cursor=${cursor}`}`
    const page = JSON.parse(
      (await second.ask('admin.localhost', path, { authorization: `Bearer ${second.token}` })).text,
    )
    for (const { id } of page.items) kept.add(id)
    cursor = page.next_cursor
  }
  expect(made.filter(id => !kept.has(id))).toEqual([])
  expect(second.token).toBe(first.token)
})

test('a second signal ends it at once, whatever is under way', async () => {
  const environment = await up(temporaryDirectory())
  const headers = {
    host: 'admin.localhost',
    authorization: `Bearer ${environment.token}`,
    'content-length': 16,
  }
  const hung = request({
    host: '127.0.0.1',
    port: environment.port,
    path: '/api/tokens',
    method: 'POST',
    headers,
  })
  hung.on('error', () => undefined)
  hung.write('{')
  await until(
    'it is served',
    async () => (await environment.ask('admin.localhost', '/healthz')).status === 200,
  )
  environment.process.kill('SIGTERM')
  await until('it is stopping', () =>
    environment.ask('admin.localhost', '/healthz').then(
      () => false,
      () => true,
    ),
  )
  expect((await environment.stop('SIGTERM')).code).toBe(143)
})
