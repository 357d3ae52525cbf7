import { operations } from '@quarterdeck/contract'
import type { Fleet } from '#fleet'
import { type Call, type Route, write } from '#http'
import { busyForPlan, removeUnits } from '#projects'
import { type ApplyOptions, apply } from './apply.ts'

export const applyRoutes = ({ fleet, ...options }: ApplyOptions & { fleet: Fleet }): Route[] => [
  write(
    operations.apply,
    ({ origin, body: file, query: { dry_run, prune, digest } }, transaction, busy) => {
      const wish = { file, dryRun: dry_run === 'true', prune: prune === 'true', digest }
      return apply(transaction, origin, options, wish, busy)
    },
    {
      prepare: ({ body, query }: Call<typeof operations.apply>) =>
        busyForPlan(options.projects, { projects: body.projects, prune: query.prune === 'true' }),
      async afterwards(_call, { applied, archived }) {
        if (!applied) return
        const removals = archived.map(name => removeUnits(options.projects, fleet, name))
        const failed = (await Promise.allSettled(removals)).find(({ status }) => status === 'rejected')
        if (failed?.status === 'rejected') throw failed.reason
      },
    },
  ),
]
