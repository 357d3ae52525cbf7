/** The control plane: engines → capabilities → hosts. The only file here that chooses an engine. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Fault, type Link, type PostedAlert } from '@quarterdeck/contract'
import { type Clock, type Kit, systemClock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import {
  Alerts,
  alertRoutes,
  ChatListener,
  chatDeploys,
  knownSurroundings,
  messagesArrive,
  settingsOf,
} from '#alerts'
import { applyRoutes } from '#apply'
import { auditReader, auditRoutes } from '#audit'
import { Deploys, deployRoutes } from '#deploy'
import { Events, eventRoutes, forgetReader, runReader } from '#events'
import { Fleet, type Machine, openAgentDoor } from '#fleet'
import { Forges, forgeRoutes, writeStatuses } from '#forge'
import { handbookRoutes } from '#handbook'
import { bySystem, PerMinute } from '#http'
import { exportSeries, MetricsServer, metricsRoutes, WatchedPlaces } from '#metrics'
import { PrivateRepositories, repositoryAccessRoutes } from '#private-repositories'
import { followGateway, type GatewayRoute, Projects, projectRoutes, removeArchivedUnits } from '#projects'
import { SecretBox } from '#secrets'
import { followServices, ownServices, Services, serviceRoutes } from '#services'
import { copyName, draftReader, inWords, StatusPage } from '#status'
import { type Engine, migrations, Store } from '#store'
import { ensureOperatorToken, Tokens, tokenRoutes } from '#tokens'
import { Variables, variableRoutes } from '#variables'
import { lookNow, Watching } from '#watch'
import { addresses } from './addresses.ts'
import { backup, type Manifest, restore } from './backup.ts'
import type { Config } from './config.ts'
import { openHandbook } from './handbook-of.ts'
import { createHosts, hosts as hostList, type RunningHost } from './hosts.ts'
import { keepHouse } from './housekeeping.ts'
import { Identities } from './identity.ts'
import { EmbeddedEngine } from './metrics/engines/embedded/index.ts'
import { PrometheusEngine } from './metrics/engines/prometheus/index.ts'
import { selfRoutes } from './self-routes.ts'
import { postgresEngine } from './store/engines/postgres/index.ts'
import { sqliteEngine } from './store/engines/sqlite/index.ts'

export type { GatewayRoute } from '#projects'
export { operatorTokenFile, readToken } from '#tokens'
export { addresses } from './addresses.ts'
export type { Manifest } from './backup.ts'
export { type Config, type ConfigSources, loadConfig } from './config.ts'
export { type Home, type Running, runningOn, takeHome } from './home.ts'
export type { RunningHost } from './hosts.ts'

export interface ControlOptions {
  log: Logger
  /** Where the code lies, to tell its commit. */
  root: string
  /** The port that the edge listens on. */
  port: number
  clock?: Clock
  /** Where the agent of this machine connects, if it is a process of its own. */
  agentSocket?: string
  /** Hears where the projects are to be found, at once and whenever that changes. */
  onRoutes?: (routes: readonly GatewayRoute[]) => void
}

/** The one machine of an environment that has no others: it stands for every group. */
export const localMachine: Machine = { name: 'local', address: '127.0.0.1', group: null }

export interface Control {
  readonly hosts: readonly RunningHost[]
  readonly sha: string
  /** Takes a connection from an agent into use. */
  attach(link: Link): void
  /** Not ready from now on; streams end. */
  beginStop(): void
  /** When the last request was answered. */
  stop(): Promise<void>
}

/** Where status.json is kept for when nobody here can answer. */
export const statusCopyFile = ({ home }: Config): string => join(home, copyName)

/** Starts control on a home that was taken for this process. */
export async function start(config: Config, options: ControlOptions): Promise<Control> {
  const { log, root, port, clock = systemClock, onRoutes = () => undefined } = options
  const store = await openStore(config, clock)
  const events = new Events(store, clock)
  const tokens = new Tokens(store, events, clock)
  const identities = new Identities(tokens, clock, config.limits.bad_tokens_per_minute)
  const urls = addresses(config, port)
  const fleet = new Fleet({ store, events, clock, log, machines: [localMachine] })
  const projects = new Projects({
    store,
    events,
    clock,
    fleet,
    url: urls.url,
    reservedPorts: [port],
    reservedNames: hostList.map(({ name }) => name),
  })
  const secrets = new SecretBox(config.home)
  const variables = new Variables({ events, clock, projects, secrets })
  const repositories = new PrivateRepositories({ clock, projects, secrets })
  const services = new Services({ events, clock, projects, secrets })
  const deploys = new Deploys({
    store,
    events,
    clock,
    log,
    fleet,
    projects,
    variables,
    repositories,
    adminUrl: urls.url('admin'),
    perMachine: config.limits.runs_per_machine,
  })
  const forges = new Forges({ clock, projects, secrets, adminUrl: urls.url('admin') })
  const alerts = new Alerts({
    store,
    events,
    clock,
    log,
    secrets,
    settings: settingsOf(config.alerts),
    surroundings: knownSurroundings({
      projects,
      services,
      pageOf: service => `${urls.url('status')}/services/${service}`,
      inMaintenance: async (_transaction, service) => status.isMaintained(service),
    }),
    adminUrl: urls.url('admin'),
    runUrl: id => deploys.pageUrl(id),
    pulse: config.alerts.heartbeat && {
      url: config.alerts.heartbeat.url,
      everyMs: config.alerts.heartbeat.every_s * 1000,
    },
  })
  const webhookSecret = (id: string) => secrets.fingerprint(id, 'telegram-webhook')
  const chats = new ChatListener({
    store,
    events,
    clock,
    log,
    alerts,
    deploys: chatDeploys(deploys, projects),
    services: () => inWords(watching.watch, watching.observer().ok),
    webhookUrl: id => `${urls.url('admin')}/api/channels/${id}/updates`,
    webhookSecret,
  })
  const calls = new PerMinute(clock, config.limits.deploys_per_minute)
  const handbook = openHandbook({ config, root, urls, store, events, clock, log, fleet, projects })
  await ensureOperatorToken(store, tokens, config.home)
  const own = ownServices({ hosts: hostList, url: urls.url })
  const watching = await Watching.open({
    ...{ store, events, clock, log, fleet },
    ...{ intervalS: config.watch.interval_s, timeoutS: config.watch.timeout_s },
    engine: config.metrics.engine,
  })
  const watched = new WatchedPlaces(watching.watch, `${loopbackOf(config.listen.address)}:${port}`)
  // Those of the embedded engine; a Prometheus sends its own to `/api/v2/alerts`.
  const onAlerts = async (told: readonly PostedAlert[]) =>
    void (await store.write(transaction => alerts.take(transaction, alerts.source('metrics'), told)))
  const metrics = new MetricsServer({
    ...{ home: config.home, log, watched },
    ...{ intervalMs: config.watch.interval_s * 1000, timeoutMs: config.watch.timeout_s * 1000 },
    engine:
      config.metrics.engine === 'prometheus'
        ? new PrometheusEngine({ home: config.home, log, ...prometheusOf(config) })
        : new EmbeddedEngine({ home: config.home, clock, log, store, watched, onAlerts }),
  })
  const kits = new Map<string, Kit>()
  const status = new StatusPage({
    ...{ store, events, clock, log, watch: watching.watch, history: watching.history },
    observer: () => watching.observer(),
    page: { name: config.status.name ?? config.domain, url: urls.url('status'), environment: config.domain },
    ...{ homeUrl: urls.url(), timeZone: config.timezone, home: config.home },
  })
  await status.open()

  const hosts = await createHosts({
    config,
    root,
    addresses: urls,
    identities,
    store,
    clock,
    log,
    routes: kit => ({
      admin: [
        ...selfRoutes(kit, urls),
        ...deployRoutes({ store, deploys, projects, calls }),
        ...forgeRoutes({ store, clock, forges, deploys, projects, calls, guesses: identities }),
        ...projectRoutes({ projects, tokens, fleet, variables, repositories }),
        ...variableRoutes(variables, projects),
        ...repositoryAccessRoutes({ repositories, projects, fleet }),
        ...serviceRoutes({
          services,
          projects,
          store,
          own,
          look: watched => lookNow(watched, clock.now()),
        }),
        ...applyRoutes({ projects, services, tokens, variables, repositories, fleet }),
        ...alertRoutes({
          store,
          clock,
          events,
          alerts,
          chats,
          guesses: identities,
          webhookSecret,
          adminUrl: urls.url('admin'),
        }),
        ...tokenRoutes(tokens),
        ...status.routes,
        ...auditRoutes(),
        ...eventRoutes(events),
      ],
      docs: handbookRoutes(handbook),
      metrics: metricsRoutes({ server: metrics, watched, kitOf: host => kits.get(host) }),
    }),
    documents: { status: status.documents },
    onKit(kit) {
      kits.set(kit.name, kit)
      if (kit.name === 'metrics') exportSeries(kit, { watch: watching.watch })
    },
  })
  const sha = hosts[0]!.kit.sha

  const ended = new AbortController()
  const following = { store, events, log, ended: ended.signal }
  const drafts = draftReader(status.incidents, clock)
  const readers = [
    runReader(auditReader, following),
    followGateway({ ...following, fleet }, onRoutes),
    writeStatuses({ ...following, clock, forges, deploys }),
    deploys.start(ended.signal),
    status.follow(following),
    ...(config.status.draft_incidents ? [runReader(drafts, following)] : []),
    followServices(
      {
        ...{ ...following, fleet, services, own, url: urls.url, known: messagesArrive },
        places: { address: config.listen.address, port, domain: config.domain, sha },
      },
      monitored => {
        watching.watch.set(monitored)
        metrics.set(monitored)
      },
    ),
    alerts.run(ended.signal),
    chats.run(ended.signal),
  ]
  if (!config.status.draft_incidents) await forgetReader(drafts.name, store)
  removeArchivedUnits(projects, fleet, log)
  const door = options.agentSocket ? await openAgentDoor(fleet, options.agentSocket, log) : undefined
  watching.start()
  const housekeeping = keepHouse({ config, store, events, clock, log })
  await store.write(transaction =>
    events.append(transaction, bySystem, {
      type: 'control.started',
      subject: 'control',
      data: { sha, database: store.engineName },
    }),
  )

  return {
    hosts,
    sha,
    attach: link => fleet.attach(link),
    beginStop() {
      for (const { kit } of hosts) kit.beginStop()
      status.beginStop()
    },
    async stop() {
      ended.abort()
      housekeeping.stop()
      handbook.close()
      door?.close()
      fleet.close()
      await deploys.stop()
      await Promise.all([...readers, ...hosts.map(host => host.close())])
      await metrics.stop()
      await watching.stop()
      await store.close()
    },
  }
}

/** Writes a backup to a new directory, whether or not control is running. */
export async function backUp(config: Config, target: string, sha: string): Promise<Manifest> {
  if (config.database.engine === 'sqlite' && !existsSync(databaseFile(config.home))) {
    throw new Fault(
      'home_unusable',
      `The home ${config.home} has no database yet: there is nothing to back up.`,
    )
  }
  // As it is: a backup before an upgrade must not be the upgrade.
  const store = Store.attach(engineOf(config))
  return backup({ store, openFile, home: config.home, target, sha, clock: systemClock }).finally(() =>
    store.close(),
  )
}

/** Fills an empty home, taken for this process, from a backup. */
export async function restoreFrom(config: Config, source: string): Promise<Manifest> {
  const store = await openStore(config)
  return restore({ store, openFile, home: config.home, source }).finally(() => store.close())
}

/** Whether the database can be used, and how full it is, without changing it. */
export async function inspectStore(config: Config): Promise<string> {
  if (config.database.engine === 'sqlite' && !existsSync(databaseFile(config.home))) return 'not there yet'
  const store = Store.attach(engineOf(config))
  try {
    return await store.inspect()
  } finally {
    await store.close()
  }
}

const openFile = (file: string, upTo = Number.POSITIVE_INFINITY) =>
  Store.open(sqliteEngine(file), { migrations: migrations.filter(({ number }) => number <= upTo) })

/** The database that the configuration names. */
function openStore(config: Config, clock: Clock = systemClock): Promise<Store> {
  return Store.open(engineOf(config), { clock })
}

function engineOf({ database, home }: Config): Engine {
  if (database.engine === 'postgres') return postgresEngine(database.url)
  return sqliteEngine(databaseFile(home))
}

/** Where a Prometheus is, or the program to start. */
const prometheusOf = ({ metrics: { url, program } }: Config) => ({
  url,
  program: program === true ? 'prometheus' : program || undefined,
})

/** Listening everywhere is listening here too. */
const loopbackOf = (address: string) =>
  address === '0.0.0.0'
    ? '127.0.0.1'
    : address === '::'
      ? '[::1]'
      : address.includes(':')
        ? `[${address}]`
        : address

const databaseFile = (home: string) => join(home, 'database.sqlite')
