/**
 * The status host in a process of its own, with as many services as asked for, which tell how they are. A line on its input
 * lets the first of them change; with how many readers of its events that was it tells on its output.
 */
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@quarterdeck/kit'
import { pino } from 'pino'
import { Events } from '../../control/src/events/index.ts'
import { finderOf } from '../../control/src/http/index.ts'
import { StatusPage } from '../../control/src/status/index.ts'
import { sqliteEngine } from '../../control/src/store/engines/sqlite/index.ts'
import { Store } from '../../control/src/store/index.ts'
import { History, type MonitoredService, Watch } from '../../control/src/watch/index.ts'

const count = Number(process.argv[2])
const home = mkdtempSync(join(tmpdir(), 'qd-bench-status-'))
const log = pino({ level: 'silent' })
const clock = systemClock
const store = await Store.open(sqliteEngine(join(home, 'database.sqlite')))
const events = new Events(store, clock)
const history = await History.open({ store, events, clock, log })
const restarts = { isUnderWay: () => false }
const watch = new Watch({ clock, log, history, restarts, intervalMs: 15_000, timeoutMs: 5000 })
const seconds = () => Math.floor(clock.now().getTime() / 1000)
const status = new StatusPage({
  ...{ store, events, clock, log, watch, history, home, homeUrl: 'http://localhost', timeZone: 'UTC' },
  observer: () => ({ ok: true, engine: 'embedded', ...history.observer(seconds()) }),
  page: { name: 'Acme', url: 'http://status.localhost', environment: 'localhost' },
})
await status.open()
const ended = new AbortController()
const following = status.follow({ store, events, log, ended: ended.signal })

const serviceOf = (index: number, state: 'up' | 'down'): MonitoredService => ({
  ...{ id: `service-${index}`, name: `Service ${index}`, group: 'production', description: 'Does its work' },
  ...{ kind: 'project', dependsOn: [], site: null, runbook: null, deployedAt: null },
  instances: [
    {
      ...{ id: `service-${index}`, machine: null, kind: 'told' },
      condition: { state, since: seconds(), reason: null },
    },
  ],
})
const set = (first: 'up' | 'down') =>
  watch.set(Array.from({ length: count }, (_, index) => serviceOf(index, index === 0 ? first : 'up')))
set('up')

const find = finderOf(status.documents)
const server = createServer((request, response) => {
  const found = find(request.url ?? '')
  if (found) found.published.serve(request, response)
  else response.writeHead(404).end()
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 }, () =>
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`),
)
let state: 'up' | 'down' = 'up'
process.stdin.on('data', () => {
  state = state === 'up' ? 'down' : 'up'
  process.stdout.write(`readers ${status.live.readers}\n`)
  set(state)
})
process.once('SIGTERM', async () => {
  ended.abort()
  status.beginStop()
  server.closeAllConnections()
  server.close()
  await following
  await history.stop()
  await store.close()
  process.exit(0)
})
