/** How much memory the environment holds when nothing happens. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Figure } from './figure.ts'
import { residentMegabytes, startEnvironment } from './process.ts'

const idleMs = 10_000

export const idleMemory: Figure = {
  name: 'idle memory of control',
  goal: '< 200 MB',
  async measure() {
    const environment = await startEnvironment()
    const atStart = residentMegabytes(environment.pid)
    await wait(idleMs)
    const idle = residentMegabytes(environment.pid)
    await environment.stop()
    return {
      reached: idle < 200,
      value: `${Math.round(idle)} MB`,
      details: `resident after ${idleMs / 1000} s; ${Math.round(atStart)} MB when ready`,
    }
  },
}
