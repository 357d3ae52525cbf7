/** What committing in groups gains over a commit per call, on this machine's own disk. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteEngine } from '../control/src/store/engines/sqlite/index.ts'
import { Store, type Transaction } from '../control/src/store/index.ts'
import { type Figure, median } from './figure.ts'

const rounds = 5
const writes = 2000

export const groupCommit: Figure = {
  name: 'group commit : commit per call',
  goal: '>= 3',
  async measure() {
    const directory = mkdtempSync(join(import.meta.dirname, '../node_modules/.cache-bench-'))
    const grouped = await Store.open(sqliteEngine(join(directory, 'grouped')))
    const single = await Store.open(sqliteEngine(join(directory, 'single')), { maxGroup: 1 })
    const pairs: { grouped: number; single: number }[] = []
    for (let round = 0; round <= rounds; round++) {
      pairs.push({
        single: await writesPerSecond(single, round),
        grouped: await writesPerSecond(grouped, round),
      })
    }
    await Promise.all([grouped.close(), single.close()])
    rmSync(directory, { recursive: true, force: true })
    const ratio = median(pairs.slice(1).map(pair => pair.grouped / pair.single))
    const last = pairs.at(-1)!
    return {
      reached: ratio >= 3,
      value: ratio.toFixed(1),
      details: `${Math.round(last.grouped)}/s in groups, ${Math.round(last.single)}/s one by one, all on disk`,
    }
  },
}

/** As many callers at once as there are writes in 50 ms at most: each waits for its own. */
async function writesPerSecond(store: Store, round: number): Promise<number> {
  const startedMs = performance.now()
  const callers = 100
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let i = 0; i < writes / callers; i++) await store.write(insert(`${round}-${caller}-${i}`))
    }),
  )
  return writes / ((performance.now() - startedMs) / 1000)
}

const insert = (name: string) => (transaction: Transaction) =>
  transaction.insertInto('event_reader').values({ name, position: 1 }).execute()
