import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clean, cleanLink } from './clean.ts'
import { fingerprintOf, groupOf, keptLabels, serviceOf, severityOf } from './labels.ts'

const labelSets = fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), fc.string({ maxLength: 5 }), {
  maxKeys: 6,
})

test('a fingerprint is that of the labels, in whatever order, and of no others', () => {
  fc.assert(
    fc.property(labelSets, labelSets, (a, b) => {
      const turned = Object.fromEntries(Object.entries(a).reverse())
      expect(fingerprintOf(turned)).toBe(fingerprintOf(a))
      const without = (labels: Record<string, string>) =>
        JSON.stringify(
          Object.entries(labels)
            .filter(([, value]) => value !== '')
            .sort(),
        )
      expect(fingerprintOf(a) === fingerprintOf(b)).toBe(without(a) === without(b))
    }),
  )
})

test('alerts are grouped by the labels that they have', () => {
  expect(groupOf({ job: 'a', alertname: 'Down', instance: '1' }, ['job', 'alertname']).labels).toEqual({
    job: 'a',
    alertname: 'Down',
  })
  expect(groupOf({ alertname: 'Down' }, ['job', 'alertname']).key).not.toBe(
    groupOf({ alertname: 'Down' }, ['alertname']).key,
  )
})

test('of a hostile label set as much is kept as a database and a reader can take', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`a${i}`, 'x']))
  const kept = keptLabels({
    ...many,
    alertname: 'Down',
    job: 'h\0i\ud800',
    note: 'y'.repeat(65_536),
    none: '',
  })
  expect(Object.keys(kept)).toHaveLength(64)
  expect(kept).toMatchObject({ alertname: 'Down', job: 'hi\ufffd' })
  expect(keptLabels({ note: 'y'.repeat(65_536) }).note).toHaveLength(1024)
})

test('a severity that nobody knows is a warning; a service is what a job is called', () => {
  expect(
    ['critical', 'CRITICAL', 'page', 'error', '', 'info', 'none'].map(severity => severityOf({ severity })),
  ).toEqual(['critical', 'critical', 'critical', 'warning', 'warning', 'info', 'info'])
  expect(serviceOf({ job: 'hello' })).toBe('hello')
  expect(serviceOf({ job: '../etc' })).toBeNull()
})

test('text from outside is one line, of bounded length, in the direction that it seems to have, without secrets', () => {
  expect(clean('a\u202eb\u200bc\u2066d\ufeff\u{e0041}e\nf\u0007', 50)).toBe('abcde f')
  expect(clean('x'.repeat(70_000), 100)).toHaveLength(100)
  expect(clean('😀'.repeat(100), 10).isWellFormed()).toBe(true)
  expect(clean(`token qd_operator_${'s'.repeat(43)} and https://u:sentinel@host/`, 200)).not.toMatch(
    /sss|sentinel/,
  )
  expect(clean('שלום', 10)).toBe('שלום')
})

test('a link is one of the web, or none', () => {
  expect(cleanLink('javascript:alert(1)')).toBeNull()
  expect(cleanLink('https://u:sentinel@host.example/a')).toBe('https://host.example/a')
  expect(cleanLink(`https://h/${'a'.repeat(3000)}`)).toBeNull()
  expect(cleanLink('not a link')).toBeNull()
})
