/** RFC 9457 problem document: how every host answers an error. */
import { z } from 'zod'
import { document } from './document.ts'
import { type ErrorCode, errors } from './errors.ts'
import type { Fault } from './fault.ts'
import { run } from './run.ts'

export const problem = z.object({
  type: z.url().describe('the handbook’s page on this error'),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('what happened, to what'),
  code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]).describe('stable; made for programs'),
  request_id: z.string().describe('the same id stands in the log'),
  errors: z
    .array(z.object({ field: z.string(), message: z.string() }))
    .optional()
    .describe('one entry per field that is missing or malformed'),
  run: run.optional().describe('the run that failed'),
})
export type Problem = z.infer<typeof problem>

export const problemDocument = document('problem', problem, {
  type: 'https://docs.example.com/errors/invalid_fields',
  title: errors.invalid_fields.title,
  status: 422,
  detail: 'One field is not acceptable.',
  code: 'invalid_fields',
  request_id: '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f70',
  errors: [{ field: 'label', message: 'must not be empty' }],
})

export const problemType = 'application/problem+json; charset=utf-8'

export function problemOf(fault: Fault, docsUrl: string, requestId: string): Problem {
  return {
    type: `${docsUrl}/errors/${fault.code}`,
    title: fault.entry.title,
    status: fault.entry.status,
    detail: fault.message,
    code: fault.code,
    request_id: requestId,
    ...(fault.fields.length > 0 && { errors: [...fault.fields] }),
    ...(fault.run && { run: fault.run }),
  }
}
