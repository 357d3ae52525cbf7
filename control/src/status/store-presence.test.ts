import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Store } from '#store'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { StorePresence } from './store-presence.ts'

test('that the store is away, and back, is told once each', async () => {
  const file = join(temporaryDirectory(), 'database.sqlite')
  let store = await Store.open(sqliteEngine(file))
  const told: boolean[] = []
  const presence = new StorePresence({ ping: () => store.ping() }, () => told.push(presence.isThere))
  await presence.ask()
  await store.close()
  await presence.ask()
  await presence.ask()
  store = await Store.open(sqliteEngine(file))
  await presence.ask()
  await store.close()
  expect(told).toEqual([false, true])
})
