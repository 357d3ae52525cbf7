import { expect, test } from 'vitest'
import { z } from 'zod'
import { ruleFile, ruleFileDocument, serviceDown } from './rule-file.ts'

test('the shipped alert is the specification’s, and its summary names the job', () => {
  const { annotations, ...rest } = serviceDown
  expect(rest).toEqual({
    alert: 'ServiceDown',
    expr: 'up == 0',
    for: '2m',
    labels: { severity: 'critical' },
  })
  expect(annotations.summary).toContain('{{ $labels.job }}')
})

test.each([
  { what: 'an unknown key', rule: { ...serviceDown, severity: 'critical' }, said: '"severity"' },
  { what: 'a wait in words', rule: { ...serviceDown, for: 'two minutes' }, said: 'a duration such as' },
  { what: 'a record that waits', rule: { record: 'job:up', expr: 'up', for: '2m' }, said: '"for"' },
  { what: 'alert and record at once', rule: { ...serviceDown, record: 'job:up' }, said: '"alert"' },
  { what: 'a record without expression', rule: { record: 'job:up' }, said: 'expr' },
  { what: 'no rule at all', rule: null, said: 'expected object' },
])('$what is refused by name', ({ rule, said }) => {
  const { error } = ruleFile.safeParse({ groups: [{ name: 'mine', rules: [rule] }] })
  expect(z.prettifyError(error!)).toContain(said)
})

test('two groups of one name are refused', () => {
  const [group] = ruleFileDocument.example.groups
  expect(ruleFile.safeParse({ groups: [group, group] }).success).toBe(false)
})
