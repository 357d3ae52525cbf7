/** What the environment itself needs: Node, a home, a valid configuration, its database, its port. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { Fault, type Readiness } from '@quarterdeck/contract'
import { type Config, operatorTokenFile, readToken, runningOn } from '@quarterdeck/control/client'
import { askRunning } from '../client.ts'
import { type CommonOptions, configOf } from '../options.ts'
import { bad, type Check, good } from './check.ts'

const environment = 'The environment'
const leastNode = 24
const leastFreeBytes = 500 * 1024 * 1024

export async function checkEnvironment(options: CommonOptions): Promise<Check[]> {
  const config = attempt(() => configOf(options))
  const checks = [checkNode(), checkHome(options.home), checkConfig(config)]
  if (config instanceof Fault) return checks
  return [...checks, await checkDatabase(config), ...(await checkRunning(config))]
}

function checkNode(): Check {
  const major = Number(process.versions.node.split('.')[0])
  return major >= leastNode
    ? good(environment, 'Node', process.version)
    : bad(environment, 'Node', process.version, `use Node ${leastNode}; npm start brings it along on Linux`)
}

function checkHome(home: string): Check {
  const place = nearestExisting(home)
  try {
    accessSync(place, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(place)
    const found = `${home}${place === home ? '' : ' (not there yet)'}, ${size(bavail * bsize)} free`
    return bavail * bsize < leastFreeBytes
      ? bad(environment, 'home', found, 'make room on its disk: less than 500 MB are free')
      : good(environment, 'home', found)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return bad(
      environment,
      'home',
      `${place} cannot be written (${code})`,
      'give its owner write access, or use --home',
    )
  }
}

const checkConfig = (config: Config | Fault): Check =>
  config instanceof Fault
    ? bad(environment, 'configuration', config.message, config.entry.remedy)
    : good(environment, 'configuration', `valid, domain ${config.domain}`)

async function checkDatabase(config: Config): Promise<Check> {
  const engine = config.database.engine === 'postgres' ? 'PostgreSQL' : 'SQLite'
  const { inspectStore } = await import('@quarterdeck/control')
  const state = await attempt(() => inspectStore(config))
  return state instanceof Fault
    ? bad(environment, 'database', state.message, state.entry.remedy)
    : good(environment, 'database', `${engine}, ${state}`)
}

async function checkRunning({ home, listen }: Config): Promise<Check[]> {
  const running = runningOn(home)
  if (!running) return [await checkPort(listen)]
  const where = `port ${running.port}, pid ${running.pid}`
  const token = readToken(operatorTokenFile(home))
  const answer = await attempt(() => askRunning(running, 'admin', '/api/readiness', token))
  if (answer instanceof Fault) {
    return [
      bad(
        environment,
        'running',
        `${answer.message} (${where})`,
        'look at its log, or start it again with qd up',
      ),
    ]
  }
  const { checks = [] } = answer.body as Partial<Readiness>
  return [
    good(environment, 'running', where),
    ...checks.map(({ name, ok, reason }) =>
      ok
        ? good(environment, `ready: ${name}`, 'yes')
        : bad(environment, `ready: ${name}`, reason ?? 'no', 'its log has the cause'),
    ),
  ]
}

async function checkPort({ address, port }: Config['listen']): Promise<Check> {
  const { promise, resolve } = Promise.withResolvers<Check>()
  const server = createServer()
  server.once('error', ({ code }: NodeJS.ErrnoException) =>
    resolve(
      bad(
        environment,
        'port',
        `${port} cannot be used (${code})`,
        'stop the program that listens on it, or use --port',
      ),
    ),
  )
  server.listen(port, address, () =>
    server.close(() => resolve(good(environment, 'port', `${port} is free, nothing runs`))),
  )
  return promise
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

const size = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

function attempt<T>(work: () => Promise<T>): Promise<T | Fault>
function attempt<T>(work: () => T): T | Fault
function attempt<T>(work: () => T | Promise<T>): T | Fault | Promise<T | Fault> {
  try {
    const result = work()
    return result instanceof Promise ? result.catch(faultAlone) : result
  } catch (error) {
    return faultAlone(error)
  }
}

function faultAlone(error: unknown): Fault {
  if (error instanceof Fault) return error
  throw error
}
