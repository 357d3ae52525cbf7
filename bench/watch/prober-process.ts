/** The process that `prober.ts` measures: watches as control does, down to the database, and reports when asked. */
import { join } from 'node:path'
import { systemClock } from '@quarterdeck/kit'
import { pino } from 'pino'
import { Events } from '../../control/src/events/index.ts'
import { sqliteEngine } from '../../control/src/store/engines/sqlite/index.ts'
import { Store } from '../../control/src/store/index.ts'
import { History } from '../../control/src/watch/history/index.ts'
import { apiPaths } from '../../control/src/watch/look.ts'
import type { MonitoredService } from '../../control/src/watch/service.ts'
import { Watch } from '../../control/src/watch/watch.ts'
import { scratch } from '../deploy/place.ts'
import type { ProberOrder } from './prober.ts'

const { directory, remove } = scratch()
const [clock, log] = [systemClock, pino({ level: 'warn' })]
const store = await Store.open(sqliteEngine(join(directory, 'database.sqlite')))
const history = await History.open({ store, events: new Events(store, clock), clock, log })
let watch: Watch | undefined
let [well, failed] = [0, 0]

function begin({ targets, intervalMs }: ProberOrder): void {
  const restarts = { isUnderWay: () => false }
  watch = new Watch({ clock, log, history, restarts, intervalMs, timeoutMs: 5000 })
  watch.onNews((id, news) => {
    if (news !== 'looked' && watch!.service(id)?.status === 'unknown') return
    const isWell = [...watch!.service(id)!.instances.values()].every(
      ({ look }) => look?.live.ok && look.ready?.ok && look.version?.ok && look.metrics?.ok,
    )
    if (isWell) well++
    else failed++
  })
  watch.set(targets.map(({ host, port }, index) => serviceOf(`service-${index}`, host, port)))
  watch.start()
  setInterval(() => {
    history.tick()
    watch!.tick()
  }, 5000)
}

const serviceOf = (id: string, host: string, port: number): MonitoredService => ({
  ...{ id, name: id, group: 'production', description: null, kind: 'project' },
  ...{ dependsOn: [], site: null, runbook: null, deployedAt: null },
  instances: [
    {
      ...{ id, machine: null, kind: 'api', server: { host, port, isTls: false } },
      paths: apiPaths('', '/metrics'),
      expected: { names: ['hello'], sha: null },
    },
  ],
})

process.on('message', (message: ProberOrder | 'report') => {
  if (message !== 'report') return begin(message)
  process.send!({ ...watch!.takeFigures(), well, failed })
  well = failed = 0
})
process.once('exit', remove)
process.once('SIGTERM', () => process.exit())
process.once('disconnect', () => process.exit())
