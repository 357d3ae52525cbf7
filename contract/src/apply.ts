/** Bringing an environment to what a document says: what would be done, and what was. */
import { z } from 'zod'
import { document } from './document.ts'
import { environmentFileDocument } from './environment-file.ts'
import { operation } from './operation.ts'
import { variableName } from './variable.ts'
import { port, repository, slug } from './wire.ts'

/** A thousand projects with all their settings; larger than that is no document of a person. */
const bodyBytes = 4 * 1024 * 1024

const flag = z.enum(['true', 'false']).default('false')

const planDigest = z.string().regex(/^[0-9a-f]{64}$/, 'as a dry run has answered it')

export const settingChange = z.object({
  key: z.string().describe('such as branch, limits.fetch_s, processes.web.start or variables.NAME'),
  before: z.json().describe('null also where there was none'),
  after: z.json(),
})
export type SettingChange = z.infer<typeof settingChange>

const servicesOutcome = z.object({
  created: z.array(z.object({ name: slug, url: z.string() })),
  changed: z.array(z.object({ name: slug, changes: z.array(settingChange).min(1) })),
  unchanged: z.array(slug),
  removed: z.array(slug),
  not_in_file: z.array(slug),
})
export type ServicesOutcome = z.infer<typeof servicesOutcome>

export const applyOutcome = z.object({
  applied: z.boolean().describe('false: it was a dry run'),
  digest: planDigest.describe('of what would be, or was, done'),
  created: z.array(
    z.object({ name: slug, repository, port: port.nullable().describe('null: it has no web process') }),
  ),
  changed: z.array(z.object({ name: slug, changes: z.array(settingChange).min(1) })),
  unchanged: z.array(slug),
  archived: z.array(slug),
  secrets_to_set: z
    .array(z.object({ project: slug, name: variableName }))
    .describe('secrets that the document names and that are not there: `qd var set` is told what they are'),
  not_in_file: z.array(slug).describe('projects that are there, and stay as they are'),
  services: servicesOutcome
    .default({ created: [], changed: [], unchanged: [], removed: [], not_in_file: [] })
    .describe('the same of watched services'),
})
export type ApplyOutcome = z.infer<typeof applyOutcome>

export const applyOutcomeDocument = document('apply-outcome', applyOutcome, {
  applied: false,
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  created: [{ name: 'hello', repository: 'acme/hello', port: 8101 }],
  changed: [
    {
      name: 'shop',
      changes: [
        { key: 'branch', before: 'main', after: 'stable' },
        { key: 'processes.mailer', before: null, after: { start: ['python', '-m', 'shop.mailer'] } },
      ],
    },
  ],
  unchanged: ['blog'],
  archived: [],
  secrets_to_set: [{ project: 'hello', name: 'API_KEY' }],
  not_in_file: ['wiki'],
  services: {
    created: [{ name: 'payments', url: 'https://api.payments.example/health' }],
    changed: [{ name: 'mail', changes: [{ key: 'interval_s', before: 15, after: 60 }] }],
    unchanged: [],
    removed: [],
    not_in_file: ['dns'],
  },
})

export const applyOperations = {
  apply: operation({
    method: 'POST',
    path: '/api/apply',
    summary: 'Bring all projects and watched services to what a document says, in one step or not at all',
    query: z.object({
      dry_run: flag.describe('true: only tell what would be done'),
      prune: flag.describe(
        'true: archive the projects that the document does not name, and remove such watched services if it names any',
      ),
      digest: planDigest
        .optional()
        .describe('of a dry run: if anything else would be done by now than what it told, nothing is'),
    }),
    body: environmentFileDocument,
    bodyBytes,
    answer: { status: 200, document: applyOutcomeDocument },
  }),
} as const
