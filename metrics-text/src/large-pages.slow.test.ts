/** Pages of a size that nobody means, and what is left of them in memory. */
import { constants } from 'node:buffer'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { KnownLines, readPage } from './index.ts'

const page = (series: number) =>
  Buffer.from(Array.from({ length: series }, (_, i) => `orders_total{shop="shop-${i}"} ${i}\n`).join(''))

test('100,000 samples are read, one more is not, and a million are where they are allowed', () => {
  const known = new KnownLines()
  expect(readPage(page(100_000), { known }).samples.length).toBe(100_000)
  expect(() => readPage(page(100_001), { known })).toThrow(
    'line 100001: the page has more than 100000 samples',
  )
  const million = page(1_000_000)
  expect(() => readPage(million)).toThrow('line 100001: the page has more than 100000 samples')
  const { samples } = readPage(million, { limits: { samples: 1_000_000 } })
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(499_999_500_000)
})

test('a page that cannot be a string is refused', () => {
  expect(() => readPage(Buffer.alloc(constants.MAX_STRING_LENGTH + 1))).toThrow(
    'the page is longer than a string can be',
  )
})

test('what is known of a page does not keep the page in memory', () => {
  const known = new KnownLines()
  const rest = `# ${'x'.repeat(2_000_000)}\n`
  const before = memoryUsed()
  for (let i = 0; i < 100; i++) {
    const lines = `# HELP a_rather_long_name_${i} Some help\na_rather_long_name_${i}{label="value"} 1\n`
    readPage(Buffer.from(lines + rest), { known })
  }
  expect(memoryUsed() - before).toBeLessThan(80e6)
})

test('series that are always new do not fill the memory', () => {
  const known = new KnownLines(4)
  const before = memoryUsed()
  for (let i = 0; i < 40; i++) {
    const lines = Array.from({ length: 2000 }, (_, k) => `a{b="${'c'.repeat(200)}${i * 2000 + k}"} 1\n`)
    readPage(lines.join(''), { known })
  }
  expect(memoryUsed() - before).toBeLessThan(10e6)
})

function memoryUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
