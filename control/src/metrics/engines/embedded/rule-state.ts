/** What has to outlive a restart, as plain data: which alerts were pending or firing, and since when. */
import { labelSet } from '@quarterdeck/contract'
import { z } from 'zod'

const ms = z.number()

const storedAlert = z.object({
  labels: labelSet,
  annotations: labelSet,
  /** As text, since JSON has no NaN. */
  value: z.string(),
  state: z.enum(['pending', 'firing']),
  activeAtMs: ms,
  firedAtMs: ms.nullable(),
  keepFiringSinceMs: ms.nullable(),
})
export type StoredAlert = z.infer<typeof storedAlert>

/** A rule is found again by where it stands and what it asks; with another expression it begins anew. */
const storedRule = z.object({
  group: z.string(),
  alert: z.string(),
  expr: z.string(),
  labels: labelSet,
  evaluatedAtMs: ms,
  alerts: z.array(storedAlert),
})
export type StoredRule = z.infer<typeof storedRule>

export const ruleState = z.object({ rules: z.array(storedRule) })
export type RuleState = z.infer<typeof ruleState>
