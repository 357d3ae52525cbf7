/** What the records of runs must do on every database engine: their SQL is not the same everywhere. */
import { randomUUIDv7 } from 'node:crypto'
import { FakeClock } from '@quarterdeck/testing'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Events } from '#events'
import { bySystem } from '#http'
import type { StoredProject } from '#projects'
import { type Engine, Store, type Transaction } from '#store'
import { accept, sameKey, type Wanted } from './accept.ts'
import { earlierRevision, previousSha, sentBefore } from './earlier.ts'
import { nextRuns } from './queue.ts'
import { recordEnd, recordLog, recordProgress } from './record.ts'
import { findRun } from './run-row.ts'
import { listRuns, pruneRuns } from './runs.ts'
import { commit } from './under-test.ts'

export interface EngineUnderTest {
  name: string
  /** Why it cannot be tried on this machine, or undefined. */
  missing: string | undefined
  /** On a new, empty database. */
  engine(): Promise<Engine>
}

const machine = 'web-1'
const dayMs = 86_400_000

export function recordsSuite({ name, missing, engine }: EngineUnderTest): void {
  describe(`records of runs on ${name}`, () => {
    beforeEach(context => {
      if (missing) context.skip(missing)
    })

    async function recording() {
      const store = await Store.open(await engine())
      onTestFinished(() => store.close())
      const clock = new FakeClock()
      const events = new Events(store, clock)
      const now = () => clock.now().toISOString()
      const find = async (id: string) => (await store.read(transaction => findRun(transaction, id)))!
      const took = (wanted: Partial<Wanted> = {}) =>
        store.write(transaction => accept(transaction, { events, clock }, bySystem, { ...plain, ...wanted }))
      const begin = (id: string) => store.write(begun(id))
      const end = async (id: string, told: Partial<Parameters<typeof ended>[1]> = {}) => {
        await begin(id)
        await store.write(transaction => recordEnd(transaction, events, machine, ended(id, told), now()))
      }
      /** A run of a commit, ended. */
      const done = async (n: number, told: Partial<Parameters<typeof ended>[1]> = {}) => {
        const { row } = await took({ ref: commit(n) })
        await end(row.id, { sha: commit(n), ref_sha: commit(n), ...told })
        return row.id
      }
      const next = (perMachine = 4) =>
        store.write(transaction =>
          nextRuns(transaction, {
            perMachine,
            project: async (_inner, name) => ({ name }) as StoredProject,
            machines: () => [{ name: machine, address: '192.0.2.1', group: null }],
          }),
        )
      const nextIds = async (perMachine?: number) => (await next(perMachine)).map(({ row }) => row.id)
      return { store, clock, events, find, took, begin, end, done, nextIds, now }
    }

    test('however many runs wait for a machine that is away, they hide nobody else’s', async () => {
      const { store, took } = await recording()
      const { row } = await took()
      const names = [...Array.from({ length: 600 }, (_, i) => `away-${i}`), 'here']
      await store.write(async transaction => {
        await transaction
          .insertInto('project')
          .values(names.map(name => projectRow(name, false)))
          .execute()
        await transaction
          .insertInto('run')
          .values(
            names.map((name, i) => ({ ...row, id: name, project: name, position: row.position + 1 + i })),
          )
          .execute()
      })
      const next = await store.write(transaction =>
        nextRuns(transaction, {
          perMachine: 4,
          project: async (_inner, name) => ({ name }) as StoredProject,
          machines: ({ name }) =>
            name === 'here' ? [{ name: machine, address: '192.0.2.1', group: null }] : [],
        }),
      )
      expect(next.map(({ row }) => row.id)).toEqual(['here'])
    })

    test('runs accepted at once are numbered without gaps, and only the newest of them waits', async () => {
      const { store, took, events } = await recording()
      const taken = await Promise.all([1, 2, 3, 4, 5].map(n => took({ ref: commit(n) })))
      expect(taken.map(({ row }) => row.position)).toEqual([1, 2, 3, 4, 5])
      expect(taken.map(({ superseded }) => superseded)).toEqual([
        [],
        ...taken.slice(0, 4).map(({ row }) => [row.id]),
      ])
      const rows = await store.read(transaction =>
        transaction.selectFrom('run').select(['status', 'superseded_by']).orderBy('position').execute(),
      )
      expect(rows.map(row => ({ ...row }))).toEqual([
        ...taken.slice(1).map(({ row }) => ({ status: 'superseded', superseded_by: row.id })),
        { status: 'queued', superseded_by: null },
      ])
      const told = await events.after(0)
      expect(told.map(({ type }) => type)).toEqual(Array(5).fill('run.accepted'))
      expect(told.flatMap(({ data }) => data.supersedes)).toEqual(taken.slice(0, 4).map(({ row }) => row.id))
    })

    test('a push that takes the place of others looks back as far as they did, or is done anyway', async () => {
      const { took, find } = await recording()
      const since = async (...pushes: Partial<Wanted>[]) => {
        let id = ''
        for (const push of pushes) id = (await took(push)).row.id
        return JSON.parse((await find(id)).changed_since ?? 'null') as string[] | null
      }
      const push = (n: number) => ({ ref: commit(n), changedSince: commit(n - 1) })
      expect(await since({ ...push(2), project: 'a' })).toEqual([commit(1)])
      const three = [push(2), push(3), push(4)].map(one => ({ ...one, project: 'b' }))
      expect(await since(...three)).toEqual([commit(1), commit(2), commit(3)])
      expect(await since({ ...push(2), project: 'c' }, { project: 'c' })).toBeNull()
      expect(await since({ project: 'd' }, { ...push(2), project: 'd' })).toBeNull()
    })

    test('a key finds its run for a day, and only with the same request', async () => {
      const { store, took, clock } = await recording()
      const keyed = { caller: 'a', idempotencyKey: 'k', requestHash: 'h' }
      const { row } = await took(keyed)
      const find = (change = {}) =>
        store.read(transaction => sameKey(transaction, { ...keyed, ...change }, clock.now()))
      expect((await find())?.id).toBe(row.id)
      expect([await find({ caller: 'b' }), await find({ idempotencyKey: undefined })]).toEqual([
        undefined,
        undefined,
      ])
      await expect(find({ requestHash: 'other' })).rejects.toMatchObject({ code: 'idempotency_key_reused' })
      clock.advance(dayMs)
      expect(await find({ requestHash: 'other' })).toBeUndefined()
    })

    test('the queue: rollbacks first, one per project, none of what is held, as many as there is room for', async () => {
      const { store, took, begin, nextIds } = await recording()
      for (const name of ['a', 'b', 'c', 'd', 'e']) await store.write(project(name, name === 'c'))
      const a = (await took({ project: 'a' })).row.id
      const b = (await took({ project: 'b' })).row.id
      await took({ project: 'c' })
      const back = (await took({ project: 'c', kind: 'rollback' })).row.id
      const d = (await took({ project: 'd' })).row.id
      const ahead = (await took({ project: 'd', kind: 'rollback' })).row.id
      expect(await nextIds()).toEqual([back, ahead, a, b])
      expect(await nextIds(3)).toEqual([back, ahead, a])
      await begin(ahead)
      expect(await nextIds(3)).toEqual([back, a])
      await store.write(transaction =>
        transaction.updateTable('run').set({ status: 'failed' }).where('id', '=', ahead).execute(),
      )
      expect(await nextIds(10)).toEqual([back, a, b, d])
    })

    test('progress and end are stored once, from the machine that has the run', async () => {
      const { store, took, begin, end, find, events, now } = await recording()
      const { id } = (await took()).row
      await begin(id)
      const progress = { ...ended(id, {}).progress, sha: commit(2) }
      await store.write(transaction => recordProgress(transaction, 'web-9', progress))
      expect((await find(id)).sha).toBeNull()
      await store.write(transaction => recordProgress(transaction, machine, progress))
      expect((await find(id)).sha).toBe(commit(2))
      const told = ended(id, { status: 'failed' })
      await store.write(transaction => recordEnd(transaction, events, 'web-9', told, now()))
      expect((await find(id)).status).toBe('running')
      await store.write(transaction => recordEnd(transaction, events, machine, told, now()))
      await end(id)
      expect(await find(id)).toMatchObject({ status: 'failed', ended_at: now() })
    })

    test('log lines are kept once each, without what a database cannot hold', async () => {
      const { store, took, begin } = await recording()
      const { id } = (await took()).row
      await begin(id)
      const line = (seq: number, text: string) => ({ seq, at: '2026-01-01T00:00:00Z', step: null, text })
      const many = Array.from({ length: 14_000 }, (_, i) =>
        line(i + 1, i === 0 ? 'a\0b\u001b\ud800' : `${i}`),
      )
      await store.write(transaction => recordLog(transaction, machine, id, many))
      await store.write(transaction =>
        recordLog(transaction, machine, id, [line(1, 'x'), line(14_001, 'last')]),
      )
      await store.write(transaction => recordLog(transaction, machine, randomUUIDv7(), [line(1, 'x')]))
      await store.write(transaction => recordLog(transaction, 'web-9', id, [line(14_002, 'x')]))
      const rows = await store.read(transaction =>
        transaction.selectFrom('run_log').select(['seq', 'text']).orderBy('seq').execute(),
      )
      expect([rows.length, rows[0]?.text, rows.at(-1)?.text]).toEqual([14_001, 'ab\u001b\ufffd', 'last'])
    })

    test('what was sent before is found by whole and shortened commits, where it ended well or gave way', async () => {
      const { store, took, done, find } = await recording()
      await done(1)
      await done(2, { status: 'failed' })
      await done(3, { status: 'superseded' })
      await took({ ref: '00000fabc' })
      await took({ ref: commit(5) })
      const sent = async (ref: string | null, project = 'hello') => {
        const { row } = await took({ ref, project: 'asking' })
        const asked = { ...(await find(row.id)), project }
        return store.read(transaction => sentBefore(transaction, asked))
      }
      expect(await sent(commit(1))).toEqual([commit(1)])
      expect(await sent(commit(1).slice(0, 7))).toEqual([commit(1)])
      expect(await sent(commit(2))).toEqual([])
      expect(await sent(commit(3))).toEqual([commit(3)])
      expect(await sent('00000fabc')).toEqual(['00000fabc'])
      expect(await sent('00000fabcdef')).toEqual(['00000fabc'])
      expect(await sent('00000fabd')).toEqual([])
      expect([await sent(null), await sent(commit(1), 'other'), await sent(commit(5))]).toEqual([[], [], []])
    })

    test('what there is to go back to was deployed and proven before what runs now was first', async () => {
      const { store, done, took, end } = await recording()
      const previous = (running: string | null) =>
        store.read(transaction => previousSha(transaction, 'hello', running))
      expect(await previous(null)).toBeUndefined()
      await done(1)
      await done(2)
      await done(3, { status: 'failed' })
      await done(2)
      await done(4)
      const { row } = await took({ kind: 'rollback', ref: commit(2) })
      await end(row.id, { kind: 'rollback', sha: commit(2) })
      expect(await Promise.all([4, 2, 1, 9].map(n => previous(commit(n))))).toEqual([
        commit(2),
        commit(1),
        undefined,
        commit(4),
      ])
    })

    test('a commit goes back to the variables that it last ran with, by any of its names', async () => {
      const { store, done, took, find } = await recording()
      const ranWith = async (n: number, variables_revision: number, told = {}) => {
        const id = await done(n, told)
        await store.write(transaction =>
          transaction.updateTable('run').set({ variables_revision }).where('id', '=', id).execute(),
        )
      }
      await ranWith(1, 3)
      await ranWith(1, 4)
      await ranWith(1, 5, { status: 'failed' })
      await ranWith(2, 6, { sha: commit(3) })
      const revisionOf = async (ref: string | null) => {
        const row = await find((await took({ ref })).row.id)
        return store.read(transaction => earlierRevision(transaction, row))
      }
      expect(await revisionOf(commit(1))).toBe(4)
      expect(await revisionOf(commit(1).slice(0, 7))).toBe(4)
      expect(await revisionOf(commit(2))).toBe(6)
      expect(await revisionOf(commit(3))).toBe(6)
      expect([await revisionOf(commit(9)), await revisionOf(null)]).toEqual([null, null])
    })

    test('lists are limited to projects; old logs go, then old runs, and what has not ended stays', async () => {
      const { store, done, took, clock } = await recording()
      const old = await done(1)
      await store.write(transaction => recordLog(transaction, machine, old, [oneLine]))
      const open = (await took({ project: 'other' })).row.id
      clock.advance(10 * dayMs)
      const young = await done(2)
      await store.write(transaction => recordLog(transaction, machine, young, [oneLine]))
      const list = async (projects: string[] | null) =>
        (
          await store.read(transaction =>
            listRuns(transaction, { limit: 9, after: undefined }, projects, row => ({ id: row.id }) as never),
          )
        ).items.map(({ id }) => id)
      const logs = () =>
        store.read(async transaction =>
          (await transaction.selectFrom('run_log').select('run_id').execute()).map(row => row.run_id),
        )
      const prune = (logDays: number, runDays: number) =>
        store.write(transaction =>
          pruneRuns(transaction, { logsBefore: ago(logDays), runsBefore: ago(runDays) }),
        )
      const ago = (days: number) => new Date(clock.now().getTime() - days * dayMs)
      expect([await list(null), await list(['hello']), await list([])]).toEqual([
        [young, open, old],
        [young, old],
        [],
      ])
      await prune(5, 20)
      expect([await list(null), await logs()]).toEqual([[young, open, old], [young]])
      await store.write(transaction => recordLog(transaction, machine, old, [oneLine]))
      // Runs that are kept for less time than logs take their logs with them.
      await prune(20, 5)
      expect([await list(null), await logs()]).toEqual([[young, open], [young]])
    })
  })
}

const oneLine = { seq: 1, at: '2026-01-01T00:00:00Z', step: null, text: 'one' }

const plain: Wanted = {
  ...{ project: 'hello', repository: 'acme/hello', kind: 'deploy', ref: commit(1), discard: false },
  ...{ caller: 'token', by: 'token:ci', idempotencyKey: undefined, requestHash: '', repeats: false },
}

const begun = (id: string) => (transaction: Transaction) =>
  transaction
    .updateTable('run')
    .set({ status: 'running', machine })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .execute()

interface Told {
  status: 'succeeded' | 'failed' | 'superseded'
  kind: 'deploy' | 'rollback'
  sha: string | null
  ref_sha: string | null
}

const ended = (
  run_id: string,
  { status = 'succeeded', kind = 'deploy', sha = null, ref_sha = null }: Partial<Told>,
) => ({
  progress: { run_id, kind, ref_sha, sha, steps: [] },
  outcome: { status, error: null, restored_sha: null },
})

/** A project that is there, held or not. */
const project = (name: string, held: boolean) => (transaction: Transaction) =>
  transaction.insertInto('project').values(projectRow(name, held)).execute()

const projectRow = (name: string, held: boolean) => ({
  ...{ name, repository: `acme/${name}`, aliases: '[]', settings: '{}', held: held ? 1 : 0 },
  ...{ held_reason: null, created_at: '', updated_at: '', archived_at: null },
})
