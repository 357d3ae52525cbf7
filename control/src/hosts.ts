/** The hosts of control: a list. Each is an API of the environment under its own name; capabilities bring its routes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, Kit } from '@quarterdeck/kit'
import { countRequest, serveKit } from '@quarterdeck/kit/node'
import type { Logger } from 'pino'
import { type App, createApp, finderOf, mount, type PublishedAt, type Route, UnprovenBodies } from '#http'
import type { Store } from '#store'
import { accessOf, admitted } from './access.ts'
import type { Addresses } from './addresses.ts'
import type { Config } from './config.ts'
import { hostPage } from './host-page.ts'
import type { Identities } from './identity.ts'

export interface Host {
  readonly name: string
  readonly title: string
  readonly purpose: string
  /** Never routed to from outside. */
  readonly inside?: true
  /** What it answers at the bare host and the machine's address, too: for programs that cannot look up its name. */
  readonly atBareHost?: RegExp
}

export const hosts: readonly Host[] = [
  { name: 'admin', title: 'Admin', purpose: 'For those who run the environment: its API.' },
  { name: 'status', title: 'Status', purpose: 'For everybody: the state of the services.' },
  { name: 'docs', title: 'Handbook', purpose: 'For everybody: how things are done here.' },
  { name: 'auth', title: 'Sign-on', purpose: 'For signing people in, once for everything.' },
  {
    name: 'metrics',
    title: 'Metrics',
    purpose: 'For metrics and alert rules; this machine alone.',
    inside: true,
    atBareHost: /^\/services\/[^/]+\/metrics$/,
  },
]

/** A host at work. */
export interface RunningHost extends Host {
  readonly kit: Kit
  /** Every route, with `{name}` for what varies. */
  readonly routes: readonly { method: string; path: string }[]
  handle(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

export interface HostsOptions {
  config: Config
  root: string
  addresses: Addresses
  identities: Identities
  store: Store
  clock: Clock
  log: Logger
  /** By host. */
  routes(kit: Kit): Partial<Record<string, readonly Route[]>>
  /** Hears of each host's kit, before it answers anything. */
  onKit?(kit: Kit): void
  /** By host: what everybody may read, with ready-made bytes. */
  documents: Partial<Record<string, readonly PublishedAt[]>>
}

export const createHosts = (options: HostsOptions): Promise<RunningHost[]> =>
  Promise.all(hosts.map(host => createHost(host, options)))

async function createHost(host: Host, options: HostsOptions): Promise<RunningHost> {
  const { config, root, addresses, identities, store, clock, log } = options
  const kit = new Kit({
    name: host.name,
    root,
    clock,
    checks: { store: () => store.ping() },
    onReadinessChange: ({ ok, checks }) =>
      ok ? log.info({ host: host.name }, 'ready again') : log.warn({ host: host.name, checks }, 'not ready'),
  })
  options.onKit?.(kit)
  const { app, routes: mounted } = await createApp({
    kit,
    log,
    access: accessOf(host.name, identities),
    url: addresses.url,
    bodyBytes: config.limits.body_bytes,
    credentialsInTheClear: config.domain === 'localhost',
  })
  const routes = options.routes(kit)[host.name] ?? []
  const documents = options.documents[host.name] ?? []
  const bodies = new UnprovenBodies()
  for (const route of routes) mount(app, route, { store, clock, log, bodies, stopping: kit.stopping })
  // One that has a page of its own needs no list of what it answers.
  const paths = [
    ...routes.map(({ operation }) => operation.path as string),
    ...documents.map(({ path }) => path),
  ]
  if (!paths.includes('/'))
    mountPage(
      app,
      host,
      [...routes.map(({ operation }) => operation), ...documents.map(listed)],
      kit,
      options,
    )
  await app.ready()
  return {
    ...host,
    kit,
    routes: [...mounted, ...documents.map(listed)],
    handle: beforeFramework(host, kit, documents, (request, response) => app.routing(request, response)),
    close: () => app.close(),
  }
}

/**
 * Probes come often, documents during an outage from everybody, and what is open to everybody needs nothing of the framework:
 * they are answered before it. Everything else, a probe with a query or another method too, goes the usual way.
 */
function beforeFramework(
  host: Host,
  kit: Kit,
  documents: readonly PublishedAt[],
  next: RunningHost['handle'],
): RunningHost['handle'] {
  const probes = new Set(kitRoutes.map(({ path }) => path).filter(path => isOpen(host.name, 'GET', path)))
  const find = finderOf(documents.filter(({ path }) => isOpen(host.name, 'GET', path)))
  return (request, response) => {
    const { url = '', method } = request
    if (method !== 'GET' && method !== 'HEAD') return next(request, response)
    if (probes.has(url)) {
      countRequest(kit, request, response, url)
      serveKit(kit, request, response).catch(error => response.destroy(error))
      return
    }
    const found = find(url)
    if (!found) return next(request, response)
    countRequest(kit, request, response, found.path)
    found.published.serve(request, response)
  }
}

const kitRoutes = [
  { method: 'GET', path: '/healthz', summary: 'Whether the process works' },
  { method: 'GET', path: '/readyz', summary: 'Whether it can do its job' },
  { method: 'GET', path: '/version', summary: 'Its name and the commit that runs' },
  { method: 'GET', path: '/metrics', summary: 'Its metrics, as text or OpenMetrics' },
]

interface Listed {
  readonly method: string
  readonly path: string
  readonly summary: string
}

const listed = ({ path, summary }: PublishedAt): Listed => ({ method: 'GET', path, summary })

function mountPage(
  app: App,
  host: Host,
  routes: readonly Listed[],
  kit: Kit,
  { addresses }: HostsOptions,
): void {
  const text = hostPage({
    ...host,
    routes: [...routes, ...kitRoutes].map(({ method, path, summary }) => ({
      method,
      path,
      summary,
      open: isOpen(host.name, method, path),
    })),
    homeUrl: addresses.url(),
    sha: kit.sha,
  })
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(text))
}

/** A page that anybody can follow a link to. */
const isOpen = (host: string, method: string, path: string) =>
  method === 'GET' && (admitted(host, method, path)?.includes('nobody') ?? false)
