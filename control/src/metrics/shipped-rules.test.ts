import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ruleFile } from '@quarterdeck/contract'
import { Prometheus, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { Rules } from './engines/embedded/rules.ts'
import { shippedRules } from './shipped-rules.ts'

const shipped = shippedRules(['hello', 'shop'])

test('ServiceDown is the rule of the specification', () => {
  expect(shipped.groups[0]!.rules[0]).toEqual({
    alert: 'ServiceDown',
    expr: 'up == 0',
    for: '2m',
    labels: { severity: 'critical' },
    annotations: { summary: '{{ $labels.job }} is down' },
  })
})

test('the embedded engine can evaluate all of them', () => {
  const loaded = new Rules({ 'quarterdeck.yml': ruleFile.parse(shipped) }, 15_000)
  expect(loaded.groups.map(({ name, rules }) => [name, rules.length])).toEqual([
    ['quarterdeck', 5],
    ['quarterdeck-targets', 2],
  ])
})

test('what any service could write on its page is believed only of who should tell it', () => {
  const [, ...rest] = shipped.groups[0]!.rules
  for (const { expr } of rest)
    for (const selector of expr.match(/(service|machine)_\w+(\{[^}]*\})?/g)!)
      expect(selector).toMatch(/\{job="(metrics|agent)"\}$/)
})

test('promtool finds nothing wrong with them', context => {
  const missing = Prometheus.missing()
  if (missing) context.skip(missing)
  const file = join(temporaryDirectory(), 'quarterdeck.yml')
  writeFileSync(file, stringify(shipped))
  expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain(
    'SUCCESS: 7 rules found',
  )
})
