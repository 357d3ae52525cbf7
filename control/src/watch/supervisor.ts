/**
 * Notices when the event loop is stuck, which nothing inside of it can: a thread of its own waits for its beats. It says so on
 * the standard error, and where systemd starts the process again, it ends one that does not come back.
 */
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'

export interface SupervisorLimits {
  /** Without a beat for so long, it is stuck. */
  readonly stuckMs: number
  /** And after so long it is ended; null: never. */
  readonly endMs: number | null
}

export interface Supervised extends SupervisorLimits {
  /** Counts the beats. */
  readonly beats: Int32Array<SharedArrayBuffer>
}

/** systemd tells the processes of its units so. Elsewhere a supervisor could do nothing, and costs 20 MB. */
export const isStartedAgain = process.env.INVOCATION_ID !== undefined

export const supervisorLimits: SupervisorLimits = {
  stuckMs: 15_000,
  endMs: 120_000,
}

export function supervise(log: Logger, limits = supervisorLimits): { stop(): Promise<void> } {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const everyMs = limits.stuckMs / 5
  const workerData: Supervised = { ...limits, beats }
  const thread = new Worker(new URL('./supervisor-thread.mjs', import.meta.url), {
    workerData,
    // Those of the process are not for it.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
  })
  thread.on('error', error => log.error({ err: error }, 'the supervisor of the event loop has ended'))
  thread.unref()
  let last = performance.now()
  const beating = setInterval(() => {
    Atomics.add(beats, 0, 1)
    const now = performance.now()
    if (now - last > limits.stuckMs)
      log.error({ stuck_ms: Math.round(now - last) }, 'the event loop was stuck')
    last = now
  }, everyMs)
  beating.unref()
  return {
    async stop() {
      clearInterval(beating)
      await thread.terminate()
    },
  }
}
