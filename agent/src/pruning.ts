/** What is done after a run, while no other run of the project is under way: old releases go, git tidies up. */
import { existsSync } from 'node:fs'
import type { PlacedProject } from '@quarterdeck/contract'
import type { Machine } from './machine.ts'
import { run } from './runner.ts'
import type { Site } from './site.ts'

const garbageLimitMs = 120_000

/** Never fails: what could not be done now is done after the next run. */
export async function tidy(machine: Machine, site: Site, project: PlacedProject, tag: string): Promise<void> {
  const { releaseBytes, keepVerified, keepDays } = machine.limits
  const signal = AbortSignal.timeout(garbageLimitMs)
  try {
    const gone = await site.releases.prune({
      now: machine.clock.now(),
      keepVerified,
      days: keepDays,
      diskBytes: releaseBytes,
    })
    if (gone.releases.length > 0 || gone.environments.length > 0) {
      machine.log.info({ project: project.name, ...gone }, 'old releases were removed')
    }
    // A first clone may have failed.
    if (!existsSync(site.layout.work)) return
    const copy = site.workCopy(project, program => run(program, { signal, timeoutMs: garbageLimitMs, tag }))
    await copy.collectGarbage()
  } catch (error) {
    machine.log.warn(
      { err: error, project: project.name },
      'tidying up failed and is tried after the next run',
    )
  }
}
