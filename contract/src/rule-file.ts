/**
 * A rule file as Prometheus reads it, and the rule that is shipped. Strict for the same reason as the scrape
 * configuration: what cannot be evaluated is refused by name.
 */
import { z } from 'zod'
import { document } from './document.ts'
import { allDifferent, labelSet, prometheusDuration } from './wire.ts'

export const alertRule = z.strictObject({
  alert: z.string().min(1),
  expr: z.string().min(1),
  for: prometheusDuration.optional(),
  keep_firing_for: prometheusDuration.optional(),
  labels: labelSet.optional(),
  annotations: labelSet.optional(),
})
export type AlertRule = z.infer<typeof alertRule>

export const recordingRule = z.strictObject({
  record: z.string().regex(/^[a-zA-Z_:][a-zA-Z0-9_:]*$/, 'a metric name'),
  expr: z.string().min(1),
  labels: labelSet.optional(),
})
export type RecordingRule = z.infer<typeof recordingRule>

export const rule = z.union([alertRule, recordingRule], { error: problemsOfOneKind })
export type Rule = z.infer<typeof rule>

export const ruleGroup = z.strictObject({
  name: z.string().min(1),
  interval: prometheusDuration.optional().describe('by default the global evaluation_interval'),
  rules: z.array(rule),
})
export type RuleGroup = z.infer<typeof ruleGroup>

export const ruleFile = z.strictObject({
  groups: z
    .array(ruleGroup)
    .refine(groups => allDifferent(groups.map(group => group.name)), 'every group has its own name'),
})
export type RuleFile = z.infer<typeof ruleFile>

/** The alert of the specification. */
export const serviceDown = {
  alert: 'ServiceDown',
  expr: 'up == 0',
  for: '2m',
  labels: { severity: 'critical' },
  annotations: { summary: '{{ $labels.job }} is down' },
} as const satisfies AlertRule

export const ruleFileDocument = document('rule-file', ruleFile, {
  groups: [{ name: 'quarterdeck', interval: '15s', rules: [serviceDown] }],
})

/** A union only says that no kind fits. The author meant one kind, and is told what is wrong with that. */
function problemsOfOneKind(issue: z.core.$ZodRawIssue): string {
  const { errors, input } = issue as z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>
  const isRecording = typeof input === 'object' && input !== null && 'record' in input
  const problems = errors[isRecording ? 1 : 0] ?? []
  return problems.map(problem => [...problem.path, problem.message].join(': ')).join('; ')
}
