/** What the database does to us, and what we say of it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Postgres, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { postgresEngine } from './engines/postgres/index.ts'
import { sqliteEngine } from './engines/sqlite/index.ts'
import { Store, type Transaction } from './store.ts'

const put = (name: string) => (transaction: Transaction) =>
  transaction.insertInto('event_reader').values({ name, position: 1 }).execute()

const count = async (store: Store) =>
  (await store.read(transaction => transaction.selectFrom('event_reader').select('name').execute())).length

test('a file that is not a database is refused by name, and left as it is', async () => {
  const file = join(temporaryDirectory(), 'database.sqlite')
  writeFileSync(file, 'these are not the bytes of a database, however long one looks at them'.repeat(20))
  const before = readFileSync(file)
  await expect(Store.open(sqliteEngine(file))).rejects.toMatchObject({
    code: 'store_corrupt',
    message: `The database ${file} is not a database.`,
  })
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a damaged database is found by an inspection', async () => {
  const file = join(temporaryDirectory(), 'database.sqlite')
  const store = await Store.open(sqliteEngine(file))
  for (let i = 0; i < 20; i++) await store.write(put(`${i}`.padEnd(900, 'x')))
  await store.close()
  const bytes = readFileSync(file)
  bytes.fill(0xff, Math.floor(bytes.length * 0.6), Math.floor(bytes.length * 0.9))
  writeFileSync(file, bytes)
  const damaged = Store.attach(sqliteEngine(file))
  onTestFinished(() => damaged.close())
  await expect(damaged.inspect()).rejects.toMatchObject({ code: 'store_corrupt' })
})

test('on a full disk a write is refused, what was written stays, and it goes on when there is room', async context => {
  if (process.getuid?.() !== 0) context.skip('only root can mount a small disk')
  const disk = join(temporaryDirectory(), 'disk')
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'qd-small-disk', disk], { stdio: 'pipe' })
  } catch {
    context.skip('this machine does not let root mount')
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
  const store = await Store.open(sqliteEngine(join(disk, 'database.sqlite')))
  onTestFinished(() => store.close())
  await store.write(put('before'))
  const filler = join(disk, 'filler')
  fillUp(filler)

  const outcomes = await Promise.allSettled(
    ['a', 'b', 'c'].map(name => store.write(put(name.repeat(30_000)))),
  )
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'store_full', retryAfterS: 5 } })
  }
  // A little still fits into what the log had been given before.
  let fitted = 0
  await until('not even a little fits', () =>
    store.write(put(`little ${fitted}`)).then(
      () => !++fitted,
      () => true,
    ),
  )
  await expect(store.ping()).rejects.toMatchObject({ code: 'store_full' })
  expect(await count(store)).toBe(1 + fitted)

  writeFileSync(filler, '')
  await store.ping()
  await store.write(put('after'))
  expect(await count(store)).toBe(2 + fitted)
})

/** Writes until nothing more fits. */
function fillUp(file: string): void {
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch {
      // smaller pieces may still fit
    }
  }
}

test('PostgreSQL that is not there is named, without the password', async () => {
  const engine = () => postgresEngine('postgresql://qd:geheim@127.0.0.1:1/quarterdeck')
  const error = await Store.open(engine()).catch(error => error)
  expect(error).toMatchObject({
    code: 'store_unavailable',
    message: 'PostgreSQL at 127.0.0.1:1/quarterdeck does not answer (ECONNREFUSED).',
  })
})

test('PostgreSQL that goes away later is unavailable meanwhile, loses nothing, and is used again when it is back', async context => {
  if (Postgres.missing()) context.skip(Postgres.missing())
  const postgres = await Postgres.start()
  onTestFinished(() => postgres.remove())
  const store = await Store.open(postgresEngine(await postgres.database()))
  onTestFinished(() => store.close())
  await store.write(put('before'))

  await postgres.down()
  const unavailable = { code: 'store_unavailable' }
  const writes = await Promise.allSettled([store.write(put('lost 1')), store.write(put('lost 2'))])
  for (const write of writes) expect(write).toMatchObject({ status: 'rejected', reason: unavailable })
  await expect(count(store)).rejects.toMatchObject(unavailable)
  await expect(store.ping()).rejects.toMatchObject(unavailable)

  await postgres.up()
  await until('it is used again', () =>
    store.ping().then(
      () => true,
      () => false,
    ),
  )
  await store.write(put('after'))
  expect(await count(store)).toBe(2)
}, 60_000)

test('a connection that breaks in the middle of a write undoes it, and the next one goes through', async context => {
  if (Postgres.missing()) context.skip(Postgres.missing())
  const postgres = await Postgres.start()
  onTestFinished(() => postgres.remove())
  const store = await Store.open(postgresEngine(await postgres.database()))
  onTestFinished(() => store.close())
  const broken = store.write(async transaction => {
    await put('half')(transaction)
    await postgres.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quarterdeck'",
    )
    await put('other half')(transaction)
  })
  await expect(broken).rejects.toMatchObject({ code: 'store_unavailable' })
  await store.write(put('next'))
  expect(await count(store)).toBe(1)
}, 60_000)

test('a database that PostgreSQL does not have is named', async context => {
  if (Postgres.missing()) context.skip(Postgres.missing())
  const postgres = await Postgres.start()
  onTestFinished(() => postgres.remove())
  const url = (await postgres.database()).replace('/test_1', '/nowhere')
  await expect(Store.open(postgresEngine(url))).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(/\/nowhere has no database of that name/),
  })
}, 60_000)
