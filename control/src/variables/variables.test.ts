import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noVariables, variableChange, variableListDocument, variableRestore } from '@quarterdeck/contract'
import { FakeClock, Postgres, temporaryDirectory } from '@quarterdeck/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bySystem } from '#http'
import type { Engine } from '#store'
import { fakeAgent, plantRun, projectsUnderTest } from '../projects/under-test.ts'
import { postgresEngine } from '../store/engines/postgres/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { listRevisions } from './revisions.ts'

let postgres: Postgres | undefined
beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())

const sqlite = async () => sqliteEngine(join(temporaryDirectory(), 'database'))
const databases: [string, string | undefined, () => Promise<Engine>][] = [
  ['SQLite', undefined, sqlite],
  ['PostgreSQL', Postgres.missing(), async () => postgresEngine(await postgres!.database())],
]

const fault = (code: string, text: string | RegExp = '') =>
  expect.objectContaining({ code, message: expect.stringMatching(text) })

async function variablesUnderTest(engine: Engine) {
  const under = await projectsUnderTest(engine, { clock: new FakeClock('2026-05-01T00:00:00Z') })
  await under.create()
  const { variables, store, write } = under
  const origin = { by: 'operator:ana', from: null, requestId: null }
  const change = (sent: unknown, project = 'hello') =>
    write(transaction => variables.change(transaction, origin, project, variableChange.parse(sent)))
  return {
    ...under,
    change,
    /** Plain ones, by name. */
    set: (values: Record<string, string>, secret?: boolean, project?: string) =>
      change(
        {
          set: Object.fromEntries(
            Object.entries(values).map(([name, value]) => [
              name,
              { value, ...(secret !== undefined && { secret }) },
            ]),
          ),
        },
        project,
      ),
    restore: (sent: unknown) =>
      write(transaction => variables.restore(transaction, origin, 'hello', variableRestore.parse(sent))),
    list: (project = 'hello') => store.read(transaction => variables.list(transaction, project)),
    setAt: (revision: number, secretsAt?: number) =>
      store.read(transaction =>
        variables.setAt(transaction, 'hello', revision, secretsAt === undefined ? {} : { secretsAt }),
      ),
    newest: () => store.read(transaction => variables.newest(transaction, 'hello')),
    revisions: (limit = 50, after?: string) =>
      store.read(transaction => listRevisions(transaction, 'hello', { limit, after })),
  }
}

describe.each(databases)('variables on %s', (_name, missing, database) => {
  beforeEach(context => {
    if (missing) context.skip(missing)
  })

  test('are set, changed and unset in revisions, shown by name, and secrets are not shown', async () => {
    const { change, list, facts, revisions, clock } = await variablesUnderTest(await database())
    expect(await list()).toEqual({ revision: 0, items: [], instances: [] })
    await change({ set: { LOG: { value: 'info' }, KEY: { value: 'sentinel-1', secret: true } } })
    ;(clock as FakeClock).advance(60_000)
    const shown = await change({ set: { LOG: { value: 'a\nb' }, B: { value: '' } } })
    expect(shown).toEqual(variableListDocument.schema.parse(shown))
    const by = { updated_by: 'operator:ana' }
    const [first, later] = [{ ...by, updated_at: '2026-05-01T00:00:00.000Z' }, by]
    expect(shown).toMatchObject({
      revision: 2,
      items: [
        { name: 'B', secret: false, value: '', ...later },
        { name: 'KEY', secret: true, value: null, ...first },
        { name: 'LOG', secret: false, value: 'a\nb', updated_at: '2026-05-01T00:01:00.000Z' },
      ],
    })
    expect((await change({ unset: ['LOG', 'NEVER'] })).items.map(({ name }) => name)).toEqual(['B', 'KEY'])
    const { items, next_cursor } = await revisions(2)
    expect(items.map(({ revision, set, unset }) => [revision, set, unset])).toEqual([
      [3, [], ['LOG']],
      [2, ['B', 'LOG'], []],
    ])
    const after = Buffer.from(next_cursor!, 'base64url').toString()
    expect((await revisions(2, after)).items).toEqual([
      {
        ...{
          revision: 1,
          at: '2026-05-01T00:00:00.000Z',
          by: 'operator:ana',
          set: ['KEY', 'LOG'],
          unset: [],
        },
        ...{ restored_from: null, run_id: null },
      },
    ])
    const told = (await facts()).filter(({ type }) => type === 'variables.changed')
    expect(told[0]).toEqual({
      type: 'variables.changed',
      subject: 'project/hello',
      data: { revision: 1, set: ['KEY', 'LOG'], unset: [], restored_from: null, run_id: null },
    })
    expect(told).toHaveLength(3)
  })

  test('what is as it was makes no revision; a secret stays one unless it is said otherwise', async () => {
    const { set, change, list, facts } = await variablesUnderTest(await database())
    await set({ KEY: 'sentinel-1' }, true)
    await set({ LOG: 'info' })
    const before = await facts()
    await set({ LOG: 'info', KEY: 'sentinel-1' })
    await change({ unset: ['NEVER'] })
    await change({})
    expect([(await list()).revision, await facts()]).toEqual([2, before])
    await set({ KEY: 'sentinel-2' })
    expect((await list()).items[0]).toMatchObject({ secret: true, value: null })
    await expect(set({ KEY: 'abc' })).rejects.toEqual(fault('invalid_fields', /set\.KEY\.value/))
    await set({ KEY: 'shown' }, false)
    expect((await list()).items[0]).toMatchObject({ secret: false, value: 'shown' })
  })

  test('who looked at an earlier revision changes nothing; of many at once each has its own', async () => {
    const { set, change, list } = await variablesUnderTest(await database())
    await set({ A: '1' })
    await expect(change({ set: { A: { value: '2' } }, revision: 0 })).rejects.toEqual(
      fault('variables_changed', /at revision 1/),
    )
    expect((await change({ set: { A: { value: '2' } }, revision: 1 })).revision).toBe(2)
    await Promise.all(['B', 'C', 'D', 'E'].map(name => set({ [name]: 'x' })))
    expect((await list()).items.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect((await list()).revision).toBe(6)
    await expect(set({ A: '1' }, undefined, 'other')).rejects.toEqual(fault('not_found'))
  })

  test('an earlier revision comes back as a new one: secrets stay the newest, unless asked', async () => {
    const { set, change, restore, newest, revisions } = await variablesUnderTest(await database())
    await set({ LOG: 'info', OLD: 'x' })
    await set({ KEY: 'sentinel-1' }, true)
    await change({ set: { LOG: { value: 'debug' }, KEY: { value: 'sentinel-2' } }, unset: ['OLD'] })
    expect((await restore({ revision: 2 })).revision).toBe(4)
    const { set: now } = await newest()
    expect([now.values, now.secrets]).toEqual([{ KEY: 'sentinel-2', LOG: 'info', OLD: 'x' }, ['KEY']])
    expect((await revisions(1)).items[0]).toMatchObject({ set: ['LOG', 'OLD'], unset: [], restored_from: 2 })
    expect((await restore({ revision: 2 })).revision).toBe(4)
    expect((await restore({ revision: 2, secrets: true })).revision).toBe(5)
    expect((await newest()).set.values.KEY).toBe('sentinel-1')
    expect((await restore({ revision: 0 })).items.map(({ name }) => name)).toEqual(['KEY'])
    expect((await restore({ revision: 0, secrets: true })).items).toEqual([])
    await expect(restore({ revision: 9 })).rejects.toEqual(fault('not_found', /at revision 7: there is no 9/))
  })

  test('a rollback brings them back unless someone changed some meanwhile; a restart is remembered', async () => {
    const under = await variablesUnderTest(await database())
    const { set, variables, write, newest, store, list } = under
    await plantRun(under, 'hello', 'succeeded')
    await set({ LOG: 'info' })
    await set({ LOG: 'debug', NEW: 'x' })
    const back = (begunAt: number) =>
      write(transaction =>
        variables.rolledBack(transaction, bySystem, {
          ...{ project: 'hello', runId: 'run-1', begunAt, to: 1, withSecrets: false },
        }),
      )
    expect([await back(1), (await list()).revision]).toEqual([1, 2])
    expect([await back(2), (await newest()).set.values]).toEqual([3, { LOG: 'info' }])
    expect([await back(3), (await list()).revision]).toEqual([3, 3])
    await write(transaction => variables.startedWith(transaction, 'hello', 3))
    const { variables_revision } = await store.read(transaction =>
      transaction.selectFrom('run').selectAll().executeTakeFirstOrThrow(),
    )
    expect(variables_revision).toBe(3)
  })

  test('whatever is changed and restored, every revision is as it was', async () => {
    const value = fc.constantFrom('aaaa', 'bbbb', 'cccc')
    const name = fc.constantFrom('A', 'B', 'C')
    const step = fc.oneof(
      fc.record({ set: fc.dictionary(name, fc.record({ value, secret: fc.boolean() })) }),
      fc.record({ unset: fc.array(name) }),
    )
    const { change, setAt, list, create } = await variablesUnderTest(await database())
    await create({ name: 'other' })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async steps => {
        for (const sent of steps) {
          const before = await setAt((await list()).revision)
          const { revision } = await change(sent)
          const values = { ...before.values }
          const secrets = new Set(before.secrets)
          for (const [key, one] of Object.entries('set' in sent ? sent.set : {})) {
            values[key] = one.value
            if (one.secret) secrets.add(key)
            else secrets.delete(key)
          }
          for (const key of 'unset' in sent ? sent.unset : []) {
            delete values[key]
            secrets.delete(key)
          }
          const now = await setAt(revision)
          expect([now.values, now.secrets]).toEqual([values, [...secrets].sort()])
          const mixed = await setAt(Math.max(revision - 1, 0), revision)
          for (const key of now.secrets) expect(mixed.values[key]).toBe(now.values[key])
          expect(mixed.secrets).toEqual(now.secrets)
        }
      }),
      { numRuns: 8 },
    )
  })
})

test('equal sets have equal ids, and no others; the empty one is known without a key', async () => {
  const { set, change, setAt, home } = await variablesUnderTest(await sqlite())
  const idAt = async (revision: number) => (await setAt(revision)).id
  expect(await idAt(0)).toBe(noVariables)
  await set({ A: 'sentinel' })
  await set({ A: 'sentinel' }, true)
  await set({ A: 'sentinel', B: 'x' })
  await change({ unset: ['B'] })
  await change({ unset: ['A'] })
  const ids = await Promise.all([1, 2, 3, 4, 5].map(idAt))
  expect(ids[3]).toBe(ids[1])
  expect(ids[4]).toBe(noVariables)
  expect(new Set(ids).size).toBe(4)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  // Who has the database and not the key cannot try secrets out.
  writeFileSync(join(home, 'secret.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`)
  expect(await idAt(1)).toBe(ids[0])
  await expect(idAt(2)).rejects.toEqual(fault('secret_key_unusable'))
})

test('what was a secret then or is one now goes with the secrets', async () => {
  const { set, setAt } = await variablesUnderTest(await sqlite())
  await set({ A: 'plain-then' })
  await set({ B: 'secret-then' }, true)
  await set({ A: 'secret-now' }, true)
  await set({ B: 'plain-now' }, false)
  const mixed = await setAt(2, 4)
  expect([mixed.values, mixed.secrets]).toEqual([{ A: 'secret-now', B: 'plain-now' }, ['A']])
})

test('with a lost key the list goes on, plain variables too; secrets say what to do, and can be set anew', async () => {
  const { set, change, list, newest, home, create, restore } = await variablesUnderTest(await sqlite())
  await create({ name: 'other' })
  await set({ KEY: 'sentinel-1', LOG: 'info' }, true)
  await set({ THEIRS: 'sentinel-2' }, true, 'other')
  renameSync(join(home, 'secret.key'), join(home, 'away'))
  expect((await list()).items.map(({ name }) => name)).toEqual(['KEY', 'LOG'])
  await set({ PLAIN: 'x' })
  await expect(newest()).rejects.toEqual(fault('secret_key_unusable', /secret\.key is gone/))
  await expect(set({ KEY: 'sentinel-3' })).rejects.toEqual(fault('secret_key_unusable', /is gone/))
  renameSync(join(home, 'away'), join(home, 'secret.key'))
  expect((await newest()).set.values.KEY).toBe('sentinel-1')
  rmSync(join(home, 'secret.key'))
  await change({ unset: ['THEIRS'] }, 'other')
  await set({ KEY: 'sentinel-3', LOG: 'debug' })
  expect((await newest()).set.values).toEqual({ KEY: 'sentinel-3', LOG: 'debug', PLAIN: 'x' })
  await expect(restore({ revision: 1, secrets: true })).rejects.toEqual(
    fault('secret_key_unusable', /is not the/),
  )
})

test('which machines have the newest is known by what they were started with', async () => {
  const under = await variablesUnderTest(await sqlite())
  const { say } = await fakeAgent(under)
  const instance = { project: 'hello', sha: 'a'.repeat(40), proven_sha: null, port: null, units: [] }
  const isCurrent = async () => (await under.list()).instances.map(({ current }) => current)
  const told = async (variables: string | null, sha: string | null = instance.sha) => {
    say({ type: 'instance', instance: { ...instance, variables, sha } })
    const stored = () =>
      under.store.read(t => t.selectFrom('instance').select(['variables', 'sha']).executeTakeFirst())
    await expect.poll(stored).toEqual({ variables, sha })
  }
  await told(null, null)
  expect(await isCurrent()).toEqual([])
  await told(null)
  expect(await isCurrent()).toEqual([true])
  await under.set({ KEY: 'sentinel-1' }, true)
  expect(await isCurrent()).toEqual([false])
  await told((await under.newest()).set.id)
  expect(await isCurrent()).toEqual([true])
  rmSync(join(under.home, 'secret.key'))
  expect(await isCurrent()).toEqual([false])
})

test('a project has no more than a process can be started with', async () => {
  const { set, list } = await variablesUnderTest(await sqlite())
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`V${n}`, 'x']))
  await expect(set(many)).rejects.toEqual(fault('invalid_fields', /501 variables/))
  const large = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`V${n}`, 'x'.repeat(32_000)]))
  await expect(set(large)).rejects.toEqual(fault('invalid_fields', /17 variables of 532 KiB/))
  expect((await list()).revision).toBe(0)
})
