/** The process that `prober.ts` measures: takes an order, looks, and reports when asked. */
import { systemClock } from '@quarterdeck/kit'
import { KnownLines, readPage } from '@quarterdeck/metrics-text'
import { pino } from 'pino'
import { checkHealth, checkVersion } from '../../control/src/watch/checks.ts'
import { Prober, type ProbeTarget, type Sighting } from '../../control/src/watch/prober.ts'
import type { ProberOrder } from './prober.ts'

const paths = ['/healthz', '/version', '/metrics', '/readyz']
const known = new KnownLines()
let [well, failed] = [0, 0]

const prober = new Prober<ProbeTarget>({
  clock: systemClock,
  log: pino({ level: 'warn' }),
  onSighting(sighting) {
    if (isWell(sighting)) well++
    else failed++
  },
})

function isWell({ seen }: Sighting<ProbeTarget>): boolean {
  const [healthz, version, metrics, readyz] = seen
  if (!healthz || !version || !metrics || !readyz || !('answer' in metrics)) return false
  return (
    checkHealth(paths[0]!, healthz).ok &&
    checkVersion(paths[1]!, version, { names: ['hello'], sha: null }).ok &&
    checkHealth(paths[3]!, readyz).ok &&
    readPage(metrics.answer.body, { known }).samples.length > 0
  )
}

process.on('message', (message: ProberOrder | 'report') => {
  if (message === 'report') {
    process.send!({ ...prober.takeFigures(), well, failed })
    well = failed = 0
    return
  }
  for (const [index, { host, port }] of message.targets.entries())
    prober.set({
      id: `service-${index}`,
      server: { host, port, isTls: false },
      paths,
      intervalMs: message.intervalMs,
    })
  prober.start()
})
process.once('disconnect', () => process.exit())
