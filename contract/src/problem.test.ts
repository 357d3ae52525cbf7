import { expect, test } from 'vitest'
import { type ErrorCode, errors } from './errors.ts'
import { Fault } from './fault.ts'
import { problem, problemOf } from './problem.ts'

const docsUrl = 'https://docs.example.com'

test.each(Object.keys(errors) as ErrorCode[])('%s becomes a problem document', code => {
  const made = problemOf(new Fault(code, 'It happened to this.'), docsUrl, 'id-1')
  expect(problem.parse(made)).toEqual(made)
  expect(made).toEqual({
    type: `https://docs.example.com/errors/${code}`,
    title: errors[code].title,
    status: errors[code].status,
    detail: 'It happened to this.',
    code,
    request_id: 'id-1',
  })
})

test('fields that are wrong are named, and only then is there a list', () => {
  const fields = [{ field: 'label', message: 'must not be empty' }]
  expect(problemOf(new Fault('invalid_fields', 'One.', { fields }), docsUrl, 'id').errors).toEqual(fields)
  expect(problemOf(new Fault('invalid_fields', 'None.'), docsUrl, 'id')).not.toHaveProperty('errors')
})

test('the cause stays inside', () => {
  const fault = new Fault('internal', 'Something failed.', { cause: new Error('password=hunter2') })
  expect(fault.cause).toBeInstanceOf(Error)
  expect(JSON.stringify(problemOf(fault, docsUrl, 'id'))).not.toMatch(/hunter2|stack|cause/)
})
