/**
 * Everything that an environment is made of, as one document that people write: `qd export` prints it, `qd apply` takes it.
 * What has a default may be left out, and what is not known here is refused, since a slip of the pen must not go unseen.
 */
import { z } from 'zod'
import { adoption } from './adoption.ts'
import { document } from './document.ts'
import { projectCreate, projectProcess, projectSettings, stepLimits } from './project-create.ts'
import { urlExpectation } from './url-expectation.ts'
import { mostVariables, variableName, variableValue } from './variable.ts'
import { watchedCreate, watchedRules, watchedSettings } from './watched-service.ts'
import { slug } from './wire.ts'

const { name: _name, ...settings } = projectCreate.shape
const { health } = projectSettings.shape

/** A secret is only named: what it is, `qd var set` is told. */
const variableEntry = z.union([variableValue, z.strictObject({ secret: z.literal(true) })], {
  error: 'a text, with numbers and the like in quotes, or {secret: true}',
})

/** A project under its name. A web process without a port stays where it is, or is given a free one. */
export const projectEntry = z
  .strictObject({
    ...settings,
    processes: z
      .array(projectProcess.partial({ port: true, timer: true, socket: true }).strict())
      .min(1)
      .optional(),
    health: health.unwrap().strict().prefault(health.parse(undefined)),
    limits: stepLimits.strict().prefault({}),
    adopted: adoption
      .strict()
      .nullable()
      .default(null)
      .describe(
        'of a project that was adopted; one that is not there yet is adopted with `qd project adopt`',
      ),
  })
  .extend({
    variables: z
      .record(variableName, variableEntry)
      .refine(variables => Object.keys(variables).length <= mostVariables, `at most ${mostVariables}`)
      .optional()
      .describe('left out: they stay as they are. Else all that are no secrets; of secrets only their names'),
  })
  .superRefine((entry, context) => {
    // What holds between settings is said once, there.
    const { error } = projectCreate.safeParse({ ...entry, name: 'any' })
    for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', path, message })
  })
export type ProjectEntry = z.infer<typeof projectEntry>

/** A watched service under its id. What is sent with its requests is secret, and in no file. */
export const watchedEntry = z
  .strictObject({
    ...watchedSettings.shape,
    name: watchedCreate.shape.name,
    expect: urlExpectation.strict().prefault({}),
  })
  .refine(...watchedRules.timeoutWithinInterval)
  .refine(...watchedRules.kitAnswersAreKnown)
export type WatchedEntry = z.infer<typeof watchedEntry>

export const environmentFile = z.strictObject({
  schema: z.literal(1).describe('of this document; what comes later is only added'),
  projects: z
    .record(slug, projectEntry)
    .refine(projects => Object.keys(projects).length <= 1000, 'at most 1000')
    .default({}),
  services: z
    .record(slug, watchedEntry)
    .refine(services => Object.keys(services).length <= 10_000, 'at most 10000')
    .optional()
    .describe('watched services by id; left out: they stay as they are'),
})
export type EnvironmentFile = z.infer<typeof environmentFile>

export const environmentFileDocument = document('environment-file', environmentFile, {
  schema: 1,
  projects: {
    hello: {
      repository: 'acme/hello',
      git_url: 'https://github.com/acme/hello.git',
      runtime: 'python',
      start: ['python', '-m', 'app'],
      port: 8101,
      variables: { GREETING: 'Hello', API_KEY: { secret: true } },
    },
  },
  services: {
    payments: {
      name: 'Payments',
      url: 'https://api.payments.example/health',
      expect: { json: [{ path: '/ok', equals: true }] },
    },
  },
})
