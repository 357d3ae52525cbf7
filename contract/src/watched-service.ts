/** A service that is watched only, at an address: nothing of it is deployed from here. */
import { z } from 'zod'
import { document } from './document.ts'
import { isMetadataHost } from './metadata-address.ts'
import { urlExpectation } from './url-expectation.ts'
import { allDifferent, line, slug, url } from './wire.ts'

/** How many a person would write down. */
const mostDependencies = 50
const mostLinks = 10
const mostHeaders = 20

export const watchedUrl = url
  .max(2000)
  .refine(text => !hasCredentials(text), 'must not hold a user or password: a header can, and is kept secret')
  .refine(text => !isMetadataHost(hostOf(text)), 'is where clouds tell the secrets of a machine: never asked')

/** Of what is no address yet, the schema says so itself. */
const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)
const hasCredentials = (text: string) => Boolean(parsed(text)?.username || parsed(text)?.password)
const hostOf = (text: string) => parsed(text)?.hostname ?? ''

export const dependencies = z
  .array(slug)
  .max(mostDependencies)
  .refine(allDifferent, 'each is named once')
  .describe('ids of services without which it cannot work')

const serviceLink = z.object({ title: line.min(1).max(100), url })

/** Everything but its id and its headers. */
export const watchedSettings = z.object({
  name: line.min(1).max(100).describe('as it is shown'),
  group: slug.default('production'),
  description: line.max(500).nullable().default(null),
  url: watchedUrl.describe('asked with GET; of a service with the kit’s endpoints, what comes before them'),
  expect: urlExpectation.prefault({}),
  interval_s: z.int().min(5).max(3600).default(15),
  timeout_s: z.number().positive().max(60).default(5).describe('shorter than the interval'),
  is_kit: z
    .boolean()
    .default(false)
    .describe('it answers /healthz, /readyz, /version and /metrics like an API of the environment'),
  depends_on: dependencies.default([]),
  runbook: z
    .string()
    .min(1)
    .max(2000)
    .nullable()
    .default(null)
    .describe('address of the runbook, or its page id in the handbook'),
  links: z.array(serviceLink).max(mostLinks).default([]),
})
export type WatchedSettings = z.infer<typeof watchedSettings>

type Timed = Pick<WatchedSettings, 'interval_s' | 'timeout_s'>
type Expecting = Pick<WatchedSettings, 'is_kit' | 'expect'>

/** What holds between settings, wherever they are written down. */
export const watchedRules = {
  timeoutWithinInterval: [
    ({ timeout_s, interval_s }: Timed) => timeout_s < interval_s,
    { path: ['timeout_s'], error: 'must be shorter than the interval' },
  ],
  kitAnswersAreKnown: [
    ({ is_kit, expect }: Expecting) => !is_kit || expect.json.length === 0,
    { path: ['expect', 'json'], error: 'what the kit’s endpoints answer is known: leave it out with is_kit' },
  ],
} satisfies Record<string, [(value: never) => boolean, { path: string[]; error: string }]>

export const wholeWatchedSettings = watchedSettings
  .refine(...watchedRules.timeoutWithinInterval)
  .refine(...watchedRules.kitAnswersAreKnown)

/** Those that say how the request is made are ours. */
const ownHeaders =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|keep-alive|proxy-.*)$/i

export const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'the name of an HTTP header')
  .refine(name => !ownHeaders.test(name), 'is set by whoever asks')

export const watchedHeaders = z
  .record(
    headerName,
    z
      .string()
      .min(1)
      .max(4096)
      .regex(/^[\x20-\x7e]*$/, 'one line of visible ASCII characters'),
  )
  .refine(headers => Object.keys(headers).length <= mostHeaders, `at most ${mostHeaders}`)
  .refine(headers => allDifferent(Object.keys(headers).map(name => name.toLowerCase())), 'each is named once')
  .describe('sent with every request; encrypted, and never shown again')

export const watchedCreate = watchedSettings
  .extend({
    id: slug.describe('also the Prometheus job'),
    name: watchedSettings.shape.name.optional().describe('as it is shown; by default its id'),
    headers: watchedHeaders.default({}),
  })
  .refine(...watchedRules.timeoutWithinInterval)
  .refine(...watchedRules.kitAnswersAreKnown)
export type WatchedCreate = z.infer<typeof watchedCreate>

const { shape } = watchedSettings

/** Only what is sent is changed, of `expect` too. Its id stays, because what was seen of it bears it. */
export const watchedChange = z
  .strictObject({
    ...{ name: shape.name, url: shape.url },
    ...{ group: shape.group.unwrap(), description: shape.description.unwrap() },
    expect: z
      .strictObject({
        status: urlExpectation.shape.status.unwrap(),
        json: urlExpectation.shape.json.unwrap(),
        certificate_days: urlExpectation.shape.certificate_days.unwrap(),
      })
      .partial(),
    ...{ interval_s: shape.interval_s.unwrap(), timeout_s: shape.timeout_s.unwrap() },
    ...{ is_kit: shape.is_kit.unwrap(), depends_on: shape.depends_on.unwrap() },
    ...{ runbook: shape.runbook.unwrap(), links: shape.links.unwrap() },
    headers: watchedHeaders.describe(
      'in place of all before; those before go with the host that they were for',
    ),
  })
  .partial()
export type WatchedChange = z.infer<typeof watchedChange>

export const watchedCreateDocument = document('watched-service-create', watchedCreate, {
  id: 'payments',
  name: 'Payments',
  url: 'https://api.payments.example/health',
  expect: { json: [{ path: '/ok', equals: true }], certificate_days: 21 },
  headers: { authorization: 'Bearer 0123456789' },
  runbook: 'runbooks/payments',
})

export const watchedChangeDocument = document('watched-service-change', watchedChange, {
  interval_s: 60,
  expect: { status: 204 },
})
