/** The environment outgrows SQLite: it moves to PostgreSQL, which goes away for a while and comes back. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Postgres, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { qd, up } from './environment.ts'

test('a backup moves it, an outage is said and survived', async context => {
  if (Postgres.missing()) context.skip(Postgres.missing())
  const postgres = await Postgres.start()
  onTestFinished(() => postgres.remove())

  const small = await up(temporaryDirectory())
  const target = join(temporaryDirectory(), 'backup')
  expect((await qd('backup', target, '--home', small.home)).code).toBe(0)
  await small.stop()

  const home = temporaryDirectory()
  const url = await postgres.database()
  writeFileSync(
    join(home, 'quarterdeck.yaml'),
    `database:\n  engine: postgres\n  url: ${JSON.stringify(url)}\n`,
  )
  const restored = await qd('restore', target, '--home', home, '--json')
  expect([restored.code, restored.stderr]).toEqual([0, ''])
  const large = await up(home)
  expect(large.token).toBe(small.token)
  const authorization = `Bearer ${large.token}`
  const session = () => large.ask('admin.localhost', '/api/session', { authorization })
  expect((await session()).status).toBe(200)

  await postgres.down()
  const refused = await large.ask('admin.localhost', '/api/tokens', { authorization })
  expect([refused.status, JSON.parse(refused.text).code, refused.headers['retry-after']]).toEqual([
    503,
    'store_unavailable',
    '5',
  ])
  await until(
    'it says that it is not ready',
    async () => (await large.ask('admin.localhost', '/readyz')).status === 503,
  )
  expect((await large.ask('admin.localhost', '/healthz')).text).toBe('{"ok":true}')

  await postgres.up()
  await until('it is ready again', async () => (await large.ask('admin.localhost', '/readyz')).status === 200)
  expect((await session()).status).toBe(200)
  const starts = async () => {
    const audit = JSON.parse((await large.ask('admin.localhost', '/api/audit', { authorization })).text)
    return audit.items.filter((entry: { action: string }) => entry.action === 'control.started')
  }
  await expect.poll(starts, { timeout: 15_000 }).toHaveLength(2)
  expect((await large.stop()).code).toBe(0)
})
