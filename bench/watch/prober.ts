/** A process that does nothing but watch services, under measurement. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuSeconds, residentMegabytes } from '../process.ts'

export interface ProberOrder {
  readonly targets: readonly { readonly host: string; readonly port: number }[]
  readonly intervalMs: number
}

export interface ProberReport {
  readonly done: number
  readonly leftOut: number
  readonly ours: number
  readonly lost: number
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Looks in which all was well. */
  readonly well: number
  readonly failed: number
}

export interface ProberCost extends ProberReport {
  readonly cpuSeconds: number
  readonly seconds: number
  readonly megabytes: number
}

/** Measured after it has warmed up. With `core` it has that one alone. */
export async function measureProber(
  order: ProberOrder,
  { warmUpMs, measureMs, core }: { warmUpMs: number; measureMs: number; core?: number },
): Promise<ProberCost> {
  const pinned = core !== undefined && {
    execPath: 'taskset',
    execArgv: ['--cpu-list', `${core}`, process.execPath],
  }
  const child = fork(join(import.meta.dirname, 'prober-process.ts'), {
    ...pinned,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const report = async (): Promise<ProberReport> => {
    const answered = once(child, 'message')
    child.send('report')
    return (await answered)[0]
  }
  try {
    child.send(order)
    await wait(warmUpMs)
    await report()
    const [cpuBefore, before] = [cpuSeconds(child.pid!), performance.now()]
    await wait(measureMs)
    const told = await report()
    const seconds = (performance.now() - before) / 1000
    return {
      ...told,
      seconds,
      cpuSeconds: cpuSeconds(child.pid!) - cpuBefore,
      megabytes: residentMegabytes(child.pid!),
    }
  } finally {
    child.kill()
  }
}
