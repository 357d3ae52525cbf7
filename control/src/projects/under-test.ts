/** The registry for tests: on a database of its own, asked directly or over real HTTP, with agents that are stood in for. */
import {
  type FromAgent,
  linkPair,
  type ProjectCreate,
  projectCreate,
  type Question,
  type Role,
  toAgent,
} from '@quarterdeck/contract'
import { type Clock, Kit, systemClock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { Events } from '#events'
import { Fleet, type Machine } from '#fleet'
import { bySystem, createApp, type Identity, mount, type Route, UnprovenBodies } from '#http'
import { PrivateRepositories } from '#private-repositories'
import { SecretBox } from '#secrets'
import { Services } from '#services'
import { type Engine, Store, type Transaction } from '#store'
import { Tokens } from '#tokens'
import { Variables } from '#variables'
import { Projects } from './projects.ts'
import { projectRoutes } from './routes.ts'
import { removeArchivedUnits } from './units.ts'

const oneMachine: Machine[] = [{ name: 'web-1', address: '127.0.0.1', group: null }]

export async function projectsUnderTest(
  engine: Engine,
  { machines = oneMachine, clock = systemClock }: { machines?: Machine[]; clock?: Clock } = {},
) {
  const store = await Store.open(engine, { clock })
  onTestFinished(() => store.close())
  const log = memoryLog()
  const events = new Events(store, clock)
  const tokens = new Tokens(store, events, clock)
  const fleet = new Fleet({ store, events, clock, log: log.log, machines })
  onTestFinished(() => fleet.close())
  const url = (name = 'www') => `https://${name}.example.com`
  const projects = new Projects({
    store,
    events,
    clock,
    fleet,
    url,
    reservedPorts: [8300, 8402],
    reservedNames: ['front'],
  })
  const home = temporaryDirectory()
  const secrets = new SecretBox(home)
  const variables = new Variables({ events, clock, projects, secrets })
  const repositories = new PrivateRepositories({ clock, projects, secrets })
  const services = new Services({ events, clock, projects, secrets })
  removeArchivedUnits(projects, fleet, log.log)
  const write = <T>(work: (transaction: Transaction) => Promise<T>) => store.write(work)
  return {
    store,
    events,
    tokens,
    fleet,
    projects,
    variables,
    repositories,
    services,
    /** Where the key of the secrets is. */
    home,
    log,
    clock,
    write,
    create: (change: Partial<Sent> = {}) =>
      write(transaction => projects.create(transaction, bySystem, sent(change))),
    facts: async () => (await events.after(0)).map(({ type, subject, data }) => ({ type, subject, data })),
  }
}

export type ProjectsUnderTest = Awaited<ReturnType<typeof projectsUnderTest>>

type Sent = Record<keyof ProjectCreate, unknown>

/** A project as it arrives at the registry: checked. */
export const sent = (change: Partial<Sent> = {}): ProjectCreate =>
  projectCreate.parse({
    name: 'hello',
    repository: 'acme/hello',
    git_url: 'https://git.example.com/acme/hello.git',
    runtime: 'python',
    ...(change.processes === undefined && { start: ['python', '-m', 'app'] }),
    ...change,
  })

/** Puts a run into the database as the deploy part would. */
export const plantRun = ({ store }: ProjectsUnderTest, project: string, status: string) =>
  store.write(transaction =>
    transaction
      .insertInto('run')
      .values({
        ...{ position: 1, id: 'run-1', project, repository: 'acme/hello', kind: 'deploy', status, ref: null },
        ...{
          ref_sha: null,
          sha: null,
          discard: 0,
          changed_since: null,
          caller: 'x',
          idempotency_key: null,
          request_hash: '',
        },
        ...{ trigger_by: 'x', trigger_from: null, created_at: '', started_at: null, ended_at: null },
        ...{
          cancel_asked: 0,
          machine: null,
          steps: '[]',
          error: null,
          restored_sha: null,
          superseded_by: null,
          variables_revision: null,
          rollback_revision: null,
          with_secrets: 0,
          variable_sets: null,
        },
      })
      .execute(),
  )

/** An agent that answers as it is told; what it was asked is kept. A string is an error. */
export async function fakeAgent(
  { fleet }: ProjectsUnderTest,
  answers: { [What in Question['what']]?: unknown } = {},
  machine = 'web-1',
) {
  const [controlEnd, agentEnd] = linkPair()
  const asked: Question[] = []
  const say = (message: FromAgent) => agentEnd.send(JSON.stringify(message))
  agentEnd.onMessage(text => {
    const message = toAgent.parse(JSON.parse(text))
    if (message.type !== 'ask') return
    asked.push(message.question)
    const answer = answers[message.question.what] ?? null
    const code = message.question.what === 'adopt' ? 'not_adoptable' : 'restart_failed'
    const error = typeof answer === 'string' ? { code, message: answer } : null
    say({ type: 'reply', id: message.id, error, value: error ? null : (answer as never) })
  })
  fleet.attach(controlEnd)
  say({ type: 'hello', machine, sha: '' })
  await until('the agent is connected', () => fleet.isConnected(machine))
  return { asked, say, close: () => agentEnd.close() }
}

/** Serves the routes; a caller is the role in its bearer token, and after a colon the projects it is limited to. */
export async function serve(under: ProjectsUnderTest, more: readonly Route[] = []) {
  const { projects, tokens, fleet, variables, repositories, store, clock, log } = under
  const kit = new Kit({ name: 'admin', root: import.meta.dirname, clock })
  const { app } = await createApp({
    kit,
    log: log.log,
    access: {
      identify: async ({ authorization }) => identityOf(authorization),
      isOpen: () => false,
      admit() {},
    },
    url: () => 'https://example.com',
    bodyBytes: 1024 * 1024,
    credentialsInTheClear: true,
  })
  const routes = [...projectRoutes({ projects, tokens, fleet, variables, repositories }), ...more]
  for (const route of routes) {
    mount(app, route, { store, clock, log: log.log, stopping: kit.stopping, bodies: new UnprovenBodies() })
  }
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(new URL(path.startsWith('/api/') ? path : `/api/projects${path}`, address), {
      method,
      headers: {
        authorization: 'Bearer operator',
        'x-request-id': 'test-request',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at field by field
    const json: any = text ? JSON.parse(text) : undefined
    return {
      status: response.status,
      headers: response.headers,
      json,
      code: json?.code as string | undefined,
    }
  }
}

function identityOf(authorization = ''): Identity {
  const [role, names] = authorization.replace('Bearer ', '').split(':')
  return {
    role: role as Role,
    id: authorization,
    name: 'tester',
    projects: names === undefined ? null : names.split(',').filter(Boolean),
    secret: authorization,
  }
}
