/** A forge for tests, as control meets it: signed calls of the webhook, and an API that takes statuses over a socket. */
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ForgeKind, projectCreate } from '@quarterdeck/contract'
import { systemClock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { Deploys, type RunRow } from '#deploy'
import { Events } from '#events'
import { Fleet } from '#fleet'
import { bySystem } from '#http'
import { PrivateRepositories } from '#private-repositories'
import { Projects } from '#projects'
import { SecretBox } from '#secrets'
import { type Engine, Store } from '#store'
import { Variables } from '#variables'
import { Forges } from './forges.ts'
import { writeStatuses } from './write-statuses.ts'

interface Reply {
  status: number
  headers: Record<string, unknown>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at field by field
  json: any
}

interface Asked {
  /** The operator's token. */
  token: string
  ask(host: string, path: string, asking?: object): Promise<Reply>
}

export interface Calling {
  /** Null: not sent. */
  event?: string | null
  delivery?: string | null
  /** Instead of the right one; null: none. */
  signature?: string | null
  type?: string
  from?: string
  headers?: Record<string, string>
  /** Whom it is sent to. */
  name?: string
}

export const zeros = '0'.repeat(40)

/** As GitHub sends it, shortened to what it has in common with Gitea. */
export const pushOf = (before: string, after: string, change: object = {}) => ({
  ref: 'refs/heads/main',
  before,
  after,
  created: false,
  deleted: false,
  forced: false,
  repository: { id: 1, full_name: 'acme/hello', private: true },
  pusher: { name: 'ana', email: 'ana@example.com' },
  commits: [],
  ...change,
})

export const sign = (body: string, secret: string): string =>
  createHmac('sha256', secret).update(body).digest('hex')

/** A hook for a project that is there. */
export async function hookUnderTest({ ask, token }: Asked, project = 'hello') {
  const path = `/api/projects/${project}/forge/hook`
  const make = (body: object = {}) => ask('admin', path, { method: 'POST', token, body })
  const { status, json, text } = await make()
  if (status !== 201) throw new Error(`The hook was not made: ${text}`)
  let { secret } = json as { secret: string }
  const deliver = (payload: unknown, calling: Calling = {}) => {
    const { event = 'push', delivery = randomUUID(), signature, from, headers, name = project } = calling
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const signed = signature === undefined ? `sha256=${sign(body, secret)}` : signature
    return ask('admin', `/api/hooks/${name}`, {
      method: 'POST',
      body,
      ...(from !== undefined && { from }),
      headers: {
        ...(event !== null && { 'x-github-event': event }),
        ...(delivery !== null && { 'x-github-delivery': delivery }),
        ...(signed !== null && { 'x-hub-signature-256': signed }),
        'content-type': calling.type ?? 'application/json',
        ...headers,
      },
    })
  }
  return {
    url: (json as { url: string }).url,
    secret: () => secret,
    deliver,
    async rotate() {
      secret = (await make({ rotate: true })).json.secret
    },
  }
}

export interface Posted {
  path: string
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at field by field
  body: any
}

/** Answers as it is told to; by default as GitHub does when it has taken a status. */
export async function statusApiUnderTest() {
  const posted: Posted[] = []
  const api = {
    url: '',
    posted,
    /** Status and headers of the next answers; undefined: no answer at all. */
    answer: (_posted: Posted): [number, Record<string, string>?] | undefined => [201],
    /** What an answer waits for. */
    hold: (): Promise<void> => Promise.resolve(),
    states: () => posted.map(({ path, body }) => `${path.split('/').at(-1)?.slice(0, 7)} ${body.state}`),
  }
  const server = createServer(async (request, response) => {
    const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(await text(request)) }
    posted.push(one)
    await api.hold()
    const answer = api.answer(one)
    if (answer) response.writeHead(answer[0], { 'content-type': 'application/json', ...answer[1] }).end('{}')
    else request.socket.destroy()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return api
}

const hello = {
  ...{ name: 'hello', repository: 'acme/hello', git_url: '/nowhere', runtime: 'python' },
  processes: [{ name: 'worker', start: ['python', '-m', 'app'] }],
}
export const timing = { firstMs: 20, longestMs: 100, tries: 4 }
export const token = 'ghp_sentinelsentinel'

interface Writing {
  kind?: ForgeKind
  /** Of the API, below its host. */
  path?: string
}

/** Projects, runs and forges on a database of their own; runs are begun and ended by the test. */
export async function writingUnderTest(engine: Engine, { kind = 'github', path = '' }: Writing = {}) {
  const api = await statusApiUnderTest()
  const home = temporaryDirectory()
  const store = await Store.open(engine)
  const clock = systemClock
  const { log, lines, text } = memoryLog()
  const events = new Events(store, clock)
  const fleet = new Fleet({ store, events, clock, log, machines: [] })
  const adminUrl = 'https://admin.example.com'
  const url = (name: string) => `https://${name}.example.com`
  const projects = new Projects({ store, events, clock, fleet, url, reservedPorts: [], reservedNames: [] })
  const secrets = new SecretBox(home)
  const variables = new Variables({ events, clock, projects, secrets })
  const repositories = new PrivateRepositories({ clock, projects, secrets })
  const common = { store, events, clock, log, fleet, projects, variables, repositories }
  const deploys = new Deploys({ ...common, adminUrl, perMachine: 1 })
  const forges = new Forges({ clock, projects, secrets, adminUrl })
  await store.write(async transaction => {
    await projects.create(transaction, bySystem, projectCreate.parse(hello))
    await forges.setStatuses(transaction, bySystem, 'hello', { kind, api_url: api.url + path, token })
  })
  let ended = new AbortController()
  const working: Promise<void>[] = []
  const start = () => {
    if (ended.signal.aborted) ended = new AbortController()
    working.push(writeStatuses({ store, events, clock, log, forges, deploys, timing, ended: ended.signal }))
  }
  const stop = async () => {
    ended.abort()
    await Promise.all(working.splice(0))
  }
  start()
  onTestFinished(async () => {
    await stop()
    await store.close()
  })
  const wanted = {
    ...{ project: 'hello', repository: 'acme/hello', discard: false, repeats: false },
    ...{ by: 'x', caller: 'x', idempotencyKey: undefined, requestHash: '' },
    kind: 'deploy' as const,
  }
  return {
    ...{ api, home, store, log: { lines, text }, start, stop },
    accept: async (ref: string | null): Promise<string> =>
      (await store.write(transaction => deploys.accept(transaction, bySystem, { ...wanted, ref }))).row.id,
    /** As the deploy part does when a machine tells of it. */
    change: (id: string, type: 'run.started' | 'run.ended', row: Partial<RunRow>) =>
      store.write(async transaction => {
        await transaction.updateTable('run').set(row).where('id', '=', id).execute()
        await events.append(transaction, bySystem, { type, subject: `run/${id}` })
      }),
    forge: () => store.read(transaction => forges.read(transaction, 'hello')),
    remove: () => store.write(transaction => forges.removeStatuses(transaction, bySystem, 'hello')),
    archive: () => store.write(transaction => projects.archive(transaction, bySystem, 'hello')),
    rows: () => store.read(transaction => transaction.selectFrom('commit_status').selectAll().execute()),
    sent: (count: number) => until(`${count} were sent`, () => api.posted.length >= count),
  }
}
