import { expect, test } from 'vitest'
import { deployRequest } from './deploy-request.ts'

test('what a deploy request does not know is dropped', () => {
  const sent = { ref: '4f0c2ad', project: 'acme/hello', branch: 'main' }
  expect(deployRequest.parse(sent)).toEqual({ ref: '4f0c2ad', project: 'acme/hello' })
})

test('a ref is kept in lower case', () => {
  expect(deployRequest.parse({ ref: '4F0C2AD', project: 'acme/hello' }).ref).toBe('4f0c2ad')
})

test.each([
  '',
  '4f0c2a',
  'a'.repeat(65),
  'main',
  'HEAD~1',
  '4f0c2ad ',
  '4f0c2ad\n',
  '--upload-pack',
  1234567,
  null,
  undefined,
])('the ref %j is refused', ref => {
  expect(refusedFields({ ref, project: 'acme/hello' })).toEqual(['ref'])
})

test.each([
  '',
  'hello',
  'acme/',
  '/hello',
  'acme/hello/extra',
  'acme/hello world',
  'acme/hello\n',
  'acme\\hello',
  42,
  undefined,
])('the project %j is refused', project => {
  expect(refusedFields({ ref: '4f0c2ad', project })).toEqual(['project'])
})

test.each([null, [], 'ref', 7])('the body %j is refused', body => {
  expect(deployRequest.safeParse(body).success).toBe(false)
})

function refusedFields(body: unknown): unknown[] {
  const fields = deployRequest.safeParse(body).error?.issues.map(({ path }) => path[0])
  return [...new Set(fields)]
}
