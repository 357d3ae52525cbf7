/** What the answer of a watched address must be like: its status, single values of its JSON, the time left of its certificate. */
import { z } from 'zod'

const mostAssertions = 10
const statusText = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/

export const expectedStatus = z
  .union([
    z.int().min(100).max(599),
    z
      .string()
      .regex(statusText, 'a status such as 204, or a range such as 200-299')
      .refine(text => lowestAndHighest(text).every((value, index, [low]) => index === 0 || value >= low!), {
        error: 'the lower end of the range comes first',
      }),
  ])
  .describe('a status, or a range such as 200-299')
export type ExpectedStatus = z.infer<typeof expectedStatus>

export function isExpectedStatus(expected: ExpectedStatus, status: number): boolean {
  const [low, high = low] = lowestAndHighest(String(expected))
  return status >= low! && status <= high!
}

const lowestAndHighest = (text: string): number[] =>
  (statusText.exec(text) ?? []).slice(1).flatMap(part => (part === undefined ? [] : [Number(part)]))

const text = z.string().min(1).max(500)
const finite = z.number()

/** Each looks at one value. No patterns: those of a regular expression could take for ever. */
const conditions = {
  equals: z.union([z.string().max(500), finite, z.boolean(), z.null()], {
    error: 'a text, a number, true, false or null',
  }),
  contains: text.describe('a text that holds it'),
  starts_with: text.describe('a text that begins so'),
  at_least: finite,
  at_most: finite,
  exists: z.boolean().describe('whether there is anything at all, be it null'),
}
export type Condition = keyof typeof conditions

export const jsonAssertion = z
  .object({
    path: z
      .string()
      .max(300)
      .regex(/^(\/([^~/]|~[01])*)*$/, 'a JSON Pointer (RFC 6901) such as /ok or /checks/0/state')
      .describe('a JSON Pointer; empty: the whole document'),
    ...conditions,
  })
  .partial({ equals: true, contains: true, starts_with: true, at_least: true, at_most: true, exists: true })
  .refine(assertion => Object.keys(conditions).filter(key => Object.hasOwn(assertion, key)).length === 1, {
    error: `one condition: ${Object.keys(conditions).join(', ')}`,
  })
export type JsonAssertion = z.infer<typeof jsonAssertion>

export const urlExpectation = z.object({
  status: expectedStatus.default('200-299'),
  json: z.array(jsonAssertion).max(mostAssertions).default([]).describe('all of them hold'),
  certificate_days: z
    .int()
    .min(0)
    .max(365)
    .default(14)
    .describe('with fewer days left of its certificate it is degraded; 0: only when it has expired'),
})
export type UrlExpectation = z.infer<typeof urlExpectation>
