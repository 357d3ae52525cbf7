import { errors, Fault, problemOf } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { problemPage } from './problem-page.ts'

test('an error page says what happened, what to do, and under which id the log has it', () => {
  const fault = new Fault('unknown_host', 'Nothing is served under the name <b>.')
  const text = problemPage(problemOf(fault, 'http://docs.localhost', 'id-1'), 'http://localhost', 'abc')
  expect(text).toContain('<title>No such host here · Quarterdeck</title>')
  expect(text).toContain('Nothing is served under the name &lt;b&gt;.')
  expect(text).toContain(errors.unknown_host.remedy)
  for (const value of ['404', '<code>unknown_host</code>', '<code>id-1</code>']) expect(text).toContain(value)
})
