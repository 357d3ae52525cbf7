/** When a service was deployed, for its chart. */
import type { Store } from '#store'

export interface DeployMark {
  /** Seconds since 1970. */
  readonly at: number
  readonly sha: string | null
}

const most = 100

export async function deploysSince(store: Store, project: string, from: number): Promise<DeployMark[]> {
  const rows = await store.read(transaction =>
    transaction
      .selectFrom('run')
      .select(['ended_at', 'sha'])
      .where('project', '=', project)
      .where('status', '=', 'succeeded')
      .where('ended_at', '>', new Date(from * 1000).toISOString())
      .orderBy('position', 'desc')
      .limit(most)
      .execute(),
  )
  return rows.map(({ ended_at, sha }) => ({ at: Math.floor(Date.parse(ended_at!) / 1000), sha })).reverse()
}
