/** What every database engine must do, whatever it is. Each engine runs it against the real thing. */
import { AsyncLocalStorage } from 'node:async_hooks'
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { copyStore } from './copy-store.ts'
import type { Engine } from './engine.ts'
import type { Migration } from './migration.ts'
import { migrations } from './migrations/index.ts'
import { Store, type StoreOptions, type Transaction } from './store.ts'

export interface EngineUnderTest {
  name: string
  /** Why it cannot be tried on this machine, or undefined. */
  missing: string | undefined
  /** A new, empty database, as a way to open engines on it. */
  database(): Promise<() => Engine>
}

interface Sample {
  name: string
  whole: number | null
  part: number | null
}

/** Tables of the suite's own, so that it does not change with the product's. */
const samples: Migration = {
  number: 9001,
  name: 'samples',
  worksFrom: 1,
  async up(db, { text, bigint, double }) {
    await db.schema
      .createTable('sample')
      .addColumn('name', text, column => column.primaryKey())
      .addColumn('whole', bigint)
      .addColumn('part', double)
      .execute()
  },
}

const withSamples: StoreOptions = { migrations: [...migrations, samples] }

/** The handle with the suite's own table in sight. */
const on = (transaction: Transaction) => transaction as unknown as Kysely<{ sample: Sample }>

const put =
  (name: string, whole: number | null = null, part: number | null = null) =>
  (transaction: Transaction) =>
    on(transaction).insertInto('sample').values({ name, whole, part }).execute()

const names = async (store: Store) => {
  const rows = await store.read(transaction =>
    on(transaction).selectFrom('sample').select('name').orderBy('name').execute(),
  )
  return rows.map(row => row.name)
}

const addOne = (store: Store) =>
  store.write(async transaction => {
    const { whole } = await on(transaction)
      .selectFrom('sample')
      .select('whole')
      .where('name', '=', 'counter')
      .executeTakeFirstOrThrow()
    await on(transaction)
      .updateTable('sample')
      .set({ whole: (whole ?? 0) + 1 })
      .where('name', '=', 'counter')
      .execute()
  })

const counter = async (store: Store) => {
  const rows = await store.read(transaction => on(transaction).selectFrom('sample').selectAll().execute())
  return rows.find(row => row.name === 'counter')?.whole
}

/** Runs as if another request did it, outside the transaction that is under way here. */
const elsewhere = AsyncLocalStorage.snapshot()

export function storeSuite({ name, missing, database }: EngineUnderTest): void {
  describe(`store on ${name}`, () => {
    beforeEach(context => {
      if (missing) context.skip(missing)
    })

    async function open(engine?: () => Engine, options: StoreOptions = withSamples): Promise<Store> {
      const store = await Store.open((engine ?? (await database()))(), options)
      onTestFinished(() => store.close())
      return store
    }

    test('what was written is read back, value for value', async () => {
      const store = await open()
      const values: Sample[] = [
        { name: 'a', whole: Number.MAX_SAFE_INTEGER, part: 0.1 },
        { name: 'b', whole: -1, part: -1.5e-300 },
        { name: 'ünï©ôdé \u{1f680} \' " \\ %', whole: null, part: null },
      ]
      for (const { name, whole, part } of values) await store.write(put(name, whole, part))
      const rows = await store.read(transaction =>
        on(transaction).selectFrom('sample').selectAll().orderBy('name').execute(),
      )
      expect(rows.map(row => ({ ...row }))).toEqual(values)
    })

    test('text is ordered by its bytes', async () => {
      const store = await open()
      for (const name of ['ab', 'a-b', 'B', 'a', 'é', 'z']) await store.write(put(name))
      expect(await names(store)).toEqual(['B', 'a', 'a-b', 'ab', 'z', 'é'])
    })

    test('writes of one turn of the loop share one commit', async () => {
      const store = await open()
      let commits = 0
      store.onCommit(() => commits++)
      await Promise.all(Array.from({ length: 50 }, (_, i) => store.write(put(`n${i}`))))
      expect(commits).toBe(1)
      expect(await names(store)).toHaveLength(50)
    })

    test('in a group, one that fails is undone alone, and only its caller hears of it', async () => {
      const store = await open()
      const outcomes = await Promise.allSettled([
        store.write(put('first')),
        store.write(async transaction => {
          await put('half')(transaction)
          throw new Error('changed my mind')
        }),
        store.write(put('first')), // taken: the engine itself refuses
        store.write(put('last')),
      ])
      expect(outcomes.map(outcome => outcome.status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
      ])
      expect(await names(store)).toEqual(['first', 'last'])
    })

    test('whatever fails in whatever groups, exactly what was reported as written is there', async () => {
      const engine = await database()
      const store = await open(engine, { ...withSamples, maxGroup: 3 })
      let round = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom('ok', 'throw', 'taken'), { maxLength: 12 }),
          async plans => {
            const prefix = `r${round++}-`
            await store.write(put(`${prefix}taken`))
            const outcomes = await Promise.allSettled(
              plans.map((plan, i) =>
                store.write(async transaction => {
                  await put(`${prefix}${i}`)(transaction)
                  if (plan === 'throw') throw new Error('no')
                  if (plan === 'taken') await put(`${prefix}taken`)(transaction)
                }),
              ),
            )
            const reported = outcomes.flatMap((outcome, i) =>
              outcome.status === 'fulfilled' ? [`${prefix}${i}`] : [],
            )
            const stored = (await names(store)).filter(
              name => name.startsWith(prefix) && !name.endsWith('taken'),
            )
            expect(stored).toEqual(reported.sort())
            expect(reported).toHaveLength(plans.filter(plan => plan === 'ok').length)
          },
        ),
        { numRuns: 25 },
      )
    })

    test('20 concurrent read-modify-writes give 20', async () => {
      const store = await open(undefined, { ...withSamples, maxGroup: 4 })
      await store.write(put('counter', 0))
      await Promise.all(Array.from({ length: 20 }, () => addOne(store)))
      expect(await counter(store)).toBe(20)
    })

    test('two processes on one database lose nothing of each other', async () => {
      const engine = await database()
      const [one, two] = await Promise.all([open(engine), open(engine)])
      await one.write(put('counter', 0))
      for (let round = 0; round < 10; round++)
        await Promise.all([addOne(one), addOne(two), addOne(one), addOne(two)])
      expect([await counter(one), await counter(two)]).toEqual([40, 40])
    })

    test('a read sees one moment, whatever is written meanwhile', async () => {
      const store = await open()
      const seen = await store.read(async transaction => {
        const count = async () => (await on(transaction).selectFrom('sample').selectAll().execute()).length
        const before = await count()
        await elsewhere(() => store.write(put('meanwhile')))
        return [before, await count()]
      })
      expect(seen).toEqual([0, 0])
      expect(await names(store)).toEqual(['meanwhile'])
    })

    test('a read cannot write', async () => {
      const store = await open()
      await expect(store.read(put('never'))).rejects.toThrow(/read-?only|cannot be written/)
      expect(await names(store)).toEqual([])
    })

    test('a transaction inside a transaction is refused instead of waiting for itself', async () => {
      const store = await open()
      await expect(store.write(() => store.write(put('inner')))).rejects.toThrow('inside a transaction')
      await expect(store.read(() => store.read(async () => 1))).rejects.toThrow('inside a transaction')
    })

    test('closing waits for what was asked for', async () => {
      const engine = await database()
      const store = await Store.open(engine(), withSamples)
      const written = store.write(put('late'))
      await store.close()
      await written
      expect(await names(await open(engine))).toEqual(['late'])
    })

    test('several that open an empty database at once migrate it once', async () => {
      const engine = await database()
      const stores = await Promise.all([open(engine), open(engine), open(engine)])
      const rows = await stores[0].read(transaction =>
        transaction.selectFrom('migration').selectAll().execute(),
      )
      expect(rows).toHaveLength(migrations.length + 1)
    })

    test('a migration that fails leaves the database as it was', async () => {
      const engine = await database()
      const broken: Migration = {
        ...samples,
        number: 9002,
        async up(db) {
          await db.schema.createTable('half').addColumn('a', sql`text`).execute()
          throw new Error('power cut')
        },
      }
      await expect(Store.open(engine(), { migrations: [...migrations, samples, broken] })).rejects.toThrow(
        'power cut',
      )
      const store = await open(engine)
      await expect(store.read(transaction => sql`select * from half`.execute(transaction))).rejects.toThrow(
        /half/,
      )
    })

    test('the version before works on a database that was expanded', async () => {
      const engine = await database()
      await (await Store.open(engine(), withSamples)).close()
      const before = await open(engine, { migrations })
      await before.write(transaction =>
        transaction.insertInto('event_reader').values({ name: 'old', position: 1 }).execute(),
      )
    })

    test('a version too old for the database is refused, and says which migration it lacks', async () => {
      const engine = await database()
      const contracting: Migration = { number: 9003, name: 'drop-old', worksFrom: 9001, async up() {} }
      await (await Store.open(engine(), { migrations: [...migrations, samples, contracting] })).close()
      await expect(Store.open(engine(), { migrations })).rejects.toMatchObject({
        code: 'store_newer',
        message: expect.stringContaining('9003, drop-old'),
      })
    })

    test('a copy holds everything, and is never laid over data', async () => {
      const [from, to] = await Promise.all([open(undefined, {}), open(undefined, {})])
      const rows = Array.from({ length: 7000 }, (_, i) => ({ name: `reader-${i}`, position: i }))
      for (let i = 0; i < rows.length; i += 1000) {
        await from.write(transaction =>
          transaction
            .insertInto('event_reader')
            .values(rows.slice(i, i + 1000))
            .execute(),
        )
      }
      await copyStore(from, to)
      const copied = await to.read(transaction =>
        transaction.selectFrom('event_reader').selectAll().orderBy('position').execute(),
      )
      expect(copied.map(row => ({ ...row }))).toEqual(rows)
      await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'home_not_empty' })
    })
  })
}
