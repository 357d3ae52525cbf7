/** Variables of a project: what its processes find in their environment. Some are secrets, which are never shown again. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, page, slug, time } from './wire.ts'

/** Set by Quarterdeck, by systemd or by the loader: what runs is proven by them, or could be replaced with them. */
const reserved =
  /^(PORT|HOST|HOME|PATH|USER|LOGNAME|SHELL|QUARTERDECK_.*|LD_.*|LISTEN_.*|NOTIFY_SOCKET|INVOCATION_ID|JOURNAL_STREAM|MAINPID|CREDENTIALS_DIRECTORY)$/

/** What nobody could tell from other text in a log: it could not be masked. */
const shortestSecret = 4

export const variableName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'letters, digits and underscores, not beginning with a digit')
  .refine(name => !reserved.test(name), 'is set by Quarterdeck or the system')

/** Several lines are fine. What systemd does not take in an environment is refused here. */
export const variableValue = z
  .string()
  .max(32_768)
  .regex(/^(?:[^\p{Cc}]|[\t\n])*$/u, 'must not hold control characters other than tabs and line feeds')

/** As it is shown. */
export const variable = z.object({
  name: variableName,
  secret: z.boolean(),
  value: variableValue.nullable().describe('null: it is a secret'),
  updated_at: time,
  updated_by: z.string(),
})
export type Variable = z.infer<typeof variable>

export const variableList = z.object({
  revision: z.int().min(0).describe('goes up with every change; 0: none was ever set'),
  items: z.array(variable).describe('by name'),
  instances: z
    .array(z.object({ machine: slug, current: z.boolean() }))
    .describe('whether what runs on a machine has them; a deploy or a restart brings them there'),
})
export type VariableList = z.infer<typeof variableList>

export const secretTooShort = `a secret has at least ${shortestSecret} characters, or it could not be masked in logs`
export const isSecretEnough = (value: string): boolean => value.length >= shortestSecret

const setting = z
  .object({
    value: variableValue,
    secret: z.boolean().optional().describe('left out: as it is; a new one is none'),
  })
  .refine(({ value, secret }) => !secret || isSecretEnough(value), { path: ['value'], error: secretTooShort })

/** All of it, or nothing. */
export const variableChange = z
  .strictObject({
    set: z.record(variableName, setting).default({}),
    unset: z.array(variableName).default([]),
    revision: z
      .int()
      .min(0)
      .optional()
      .describe('the one that was looked at: if another came since, nothing is changed'),
  })
  .refine(({ set, unset }) => !unset.some(name => Object.hasOwn(set, name)), {
    path: ['unset'],
    error: 'must not name what is set as well',
  })
export type VariableChange = z.infer<typeof variableChange>

export const variableRevision = z.object({
  revision: z.int().positive(),
  at: time,
  by: z.string(),
  set: z.array(variableName),
  unset: z.array(variableName),
  restored_from: z.int().min(0).nullable().describe('the revision whose variables it has again'),
  run_id: id.nullable().describe('the rollback that brought it'),
})
export type VariableRevision = z.infer<typeof variableRevision>

export const variableRevisionPage = page(variableRevision)
export type VariableRevisionPage = z.infer<typeof variableRevisionPage>

export const variableRestore = z.strictObject({
  revision: z.int().min(0),
  secrets: z.boolean().default(false).describe('secrets of then, too; else they stay the newest'),
})
export type VariableRestore = z.infer<typeof variableRestore>

/** The same for the same variables, secrets included; it gives nothing of them away. */
export const variableSetId = z.string().regex(/^[0-9a-f]{32}$/)

/** Of the set without any. */
export const noVariables = '0'.repeat(32)

/** What one project may have, so that a process can be started with them. */
export const mostVariables = 500
export const mostVariableBytes = 512 * 1024

/**
 * All variables of a project as an agent gets them. It is the one message with secrets in it: an agent keeps it for root
 * alone, and nothing of it in a journal or a log.
 */
export const variableSet = z.object({
  id: variableSetId,
  values: z.record(z.string(), z.string()),
  secrets: z.array(z.string()).describe('names'),
})
export type VariableSet = z.infer<typeof variableSet>

export const variableListDocument = document('variable-list', variableList, {
  revision: 7,
  items: [
    {
      name: 'API_KEY',
      secret: true,
      value: null,
      updated_at: '2026-03-01T10:00:00Z',
      updated_by: 'operator:ana',
    },
    {
      name: 'LOG_LEVEL',
      secret: false,
      value: 'info',
      updated_at: '2026-03-02T09:00:00Z',
      updated_by: 'operator:ana',
    },
  ],
  instances: [{ machine: 'web-1', current: true }],
})

export const variableChangeDocument = document('variable-change', variableChange, {
  set: { LOG_LEVEL: { value: 'debug' }, API_KEY: { value: 'b3f1c0a97e', secret: true } },
  unset: ['OLD_FLAG'],
})

export const variableRestoreDocument = document('variable-restore', variableRestore, { revision: 6 })

export const variableRevisionPageDocument = document('variable-revision-page', variableRevisionPage, {
  items: [
    {
      revision: 7,
      at: '2026-03-02T09:00:00Z',
      by: 'operator:ana',
      set: ['LOG_LEVEL'],
      unset: [],
      restored_from: null,
      run_id: null,
    },
  ],
  next_cursor: null,
})
