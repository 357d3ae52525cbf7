/** A forge as its users have it: it calls after a push, and shows on the commit how the deploy went. */
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { freePort, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ask, type Environment, qd, up } from '../environment.ts'
import { ended, endServicesAfterwards, starts, version } from './placed.ts'
import { repository } from './repository.ts'

/** Takes statuses as Gitea does. */
async function statusApi() {
  const posted: { sha: string; state: string; description: string; target_url: string }[] = []
  const server = createServer(async (request, response) => {
    const sha = /^\/api\/v1\/repos\/acme\/hello\/statuses\/(\w+)$/.exec(request.url ?? '')?.[1]
    const body = await text(request)
    const known = sha !== undefined && request.headers.authorization === 'token status-token'
    if (known) posted.push({ sha, ...JSON.parse(body) })
    response.writeHead(known ? 201 : 404).end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { posted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** As GitHub makes the call. */
async function pushed({ port }: Environment, secret: string, before: string, after: string) {
  const body = JSON.stringify({
    ...{ ref: 'refs/heads/main', before, after, deleted: false },
    repository: { full_name: 'acme/hello' },
    pusher: { name: 'ana' },
    commits: [{ id: after, modified: ['app/as-the-forge-says.py'] }],
  })
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  const reply = await ask(port, 'admin.localhost', '/api/hooks/hello', headers, 'POST', body)
  return { status: reply.status, json: JSON.parse(reply.text) }
}

test('a signed push of a change in app/ is deployed, one of the README has nothing to do and says so', async () => {
  const environment = await up(temporaryDirectory())
  const { home } = environment
  endServicesAfterwards(home)
  const { url, push } = repository()
  const first = push('good')
  const add = ['project', 'add', 'hello', '--repository', 'acme/hello', '--git', url, '--home', home]
  const port = ['--port', String(await freePort()), '--interpreter', '/usr/bin/python3']
  expect((await qd(...add, ...port, '--', 'python', '-m', 'app')).code).toBe(0)
  const secret = (await qd('forge', 'hook', 'hello', '--home', home)).stdout.trim()
  expect(secret).toMatch(/^qd_hook_/)
  const forge = await statusApi()
  const statuses = { kind: 'gitea', api_url: forge.url, token: 'status-token' }
  expect((await environment.call('PUT', '/api/projects/hello/forge/statuses', statuses)).status).toBe(200)

  const created = await pushed(environment, secret, '0'.repeat(40), first)
  expect(created.status).toBe(202)
  expect(await ended(environment, created.json.id)).toMatchObject({ status: 'succeeded', sha: first })
  expect(await version(environment)).toBe(first)

  const second = push('good', { 'README.md': 'Read me.' })
  const readme = (await pushed(environment, secret, first, second)).json.id
  expect(await ended(environment, readme)).toMatchObject({ status: 'superseded', superseded_by: null })
  const shown = await qd('run', readme, '--home', home)
  const why = `There is no change in app/, deploy/, requirements.txt between ${first.slice(0, 7)} and ${second.slice(0, 7)}.`
  expect(shown.stdout).toContain(`had nothing to do. ${why}`)
  expect((await qd('logs', readme, '--home', home)).stdout).toContain(why)
  expect([await version(environment), starts(home)]).toEqual([first, [first]])

  const third = push('good', { 'app/new.py': '' })
  const changed = (await pushed(environment, secret, second, third)).json.id
  expect(await ended(environment, changed)).toMatchObject({
    status: 'succeeded',
    sha: third,
    trigger: { by: 'github:ana' },
  })
  expect([await version(environment), starts(home)]).toEqual([third, [first, third]])

  const last = (sha: string) => forge.posted.findLast(posted => posted.sha === sha)
  await until('all is told', () => [first, second, third].every(sha => last(sha)?.state === 'success'))
  expect(last(second)?.description).toBe('Nothing to deploy: nothing relevant has changed.')
  expect(last(third)?.target_url).toMatch(new RegExp(`/runs/${changed}$`))
  expect((await qd('forge', 'show', 'hello', '--home', home)).stdout).not.toContain('Problem')
})
