import { cpuMs } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { pagesUnderTest, textOf } from './under-test.ts'

test('a page of 10,000 services is put together from what is ready-made', async () => {
  const { watch, set, pages, rows, options, clock } = await pagesUnderTest(sqliteEngine)
  watch.set(Array.from({ length: 10_000 }, (_, index) => set('up', `s-${index}`, 'production', `S ${index}`)))
  const madeMs = cpuMs(() => {
    for (let turn = 0; turn < 100; turn++) rows.renew()
  })
  let text = ''
  const tookMs = cpuMs(() => {
    text = textOf(pages.front())
  })
  expect(text.match(/data-status="operational"/g)).toHaveLength(10_001)
  expect(tookMs).toBeLessThan(madeMs / 2)
  // What changes is made again by itself.
  const kept = rows.get(watch.service('s-1')!)
  clock.advance(1000)
  watch.maintain(new Set(['s-2']))
  expect(rows.get(watch.service('s-1')!)).toBe(kept)
  expect(rows.get(watch.service('s-2')!).text).toContain('data-status="maintenance"')
  expect(options.entries.get(watch.service('s-2')!).service.ok).toBe(true)
})
