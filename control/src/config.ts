/** Every option, its default and its check. An empty file is valid; an unknown key is not. */
import { isIP } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
// Not by its index: the command line reads the configuration without all the rest.
import { alertOptions } from './alerts/options.ts'
import { configFault, readConfigFile } from './config-file.ts'

const port = z.int().min(0).max(65535)

const domainName = z
  .string()
  .regex(
    /^(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
    'a domain name in lower case, such as example.com',
  )

const network = z.string().refine(text => {
  const [address = '', bits, more] = text.split('/')
  const longest = isIP(address) === 4 ? 32 : 128
  return (
    isIP(address) > 0 &&
    more === undefined &&
    (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= longest))
  )
}, 'an address or network, such as 10.0.0.7 or 10.0.0.0/8')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const options = z.strictObject({
  domain: domainName.default('localhost').describe('The hosts are admin.<domain>, status.<domain>, …'),
  public: z
    .strictObject({
      scheme: z.enum(['http', 'https']).optional(),
      port: port.optional(),
    })
    .prefault({})
    .describe('How the hosts are reached from outside, where that differs from `listen`'),
  listen: z
    .strictObject({
      address: z
        .string()
        .refine(text => isIP(text) > 0, 'an IP address')
        .default('0.0.0.0'),
      port: port.default(8300).describe('0 takes a free one'),
    })
    .prefault({}),
  trusted_proxies: z
    .array(network)
    .default([])
    .describe('Proxies in front, whose X-Forwarded-For and X-Forwarded-Proto are believed'),
  database: z
    .discriminatedUnion('engine', [
      z.strictObject({ engine: z.literal('sqlite') }),
      z.strictObject({
        engine: z.literal('postgres'),
        url: z.url({
          protocol: /^postgres(ql)?$/,
          error: 'an address such as postgresql://user:password@host/database',
        }),
      }),
    ])
    .default({ engine: 'sqlite' })
    .describe('SQLite in the home, or PostgreSQL for several control processes'),
  timezone: z
    .string()
    .refine(isTimeZone, 'a time zone, such as Europe/Berlin')
    .default('UTC')
    .describe('In which the days of the status page are counted'),
  status: z
    .strictObject({
      name: z.string().min(1).max(100).optional().describe('Above the status page; by default the domain'),
      draft_incidents: z
        .boolean()
        .default(false)
        .describe(
          'A critical problem opens a draft of an incident, which goes with it unless somebody has touched it',
        ),
    })
    .prefault({}),
  watch: z
    .strictObject({
      interval_s: z.number().min(1).max(3600).default(15).describe('Between two looks at a service'),
      timeout_s: z.number().positive().max(60).default(5).describe('For each answer of a service'),
    })
    .prefault({})
    .describe('How services are watched'),
  alerts: alertOptions.prefault({}),
  handbook: z
    .strictObject({
      title: z.string().trim().min(1).max(100).default('Handbook').describe('Its name'),
      description: z
        .string()
        .trim()
        .min(1)
        .max(500)
        .optional()
        .describe('In one sentence, for lists and feeds'),
      language: z
        .string()
        .regex(/^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/, 'a language tag such as en or pt-BR')
        .default('en')
        .describe('The language of your pages, as a tag of BCP 47'),
      manual: z.boolean().default(true).describe('Whether Quarterdeck’s own manual is in it'),
      projects: z
        .boolean()
        .default(true)
        .describe(
          'Whether it has a page for each project, and what they bring in `docs/`; everybody can read it',
        ),
      folders: z
        .array(
          z.strictObject({
            path: z.string().min(1).describe('A folder of Markdown; from the home, if it is not absolute'),
            at: z
              .string()
              .regex(
                /^([a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*)?$/,
                'a path such as team or team/guides',
              )
              .default('')
              .describe('Where its pages are in the handbook'),
            edit_url: z
              .url({ protocol: /^https?$/ })
              .optional()
              .describe('Address that a file’s path is added to'),
          }),
        )
        .max(50)
        .default([])
        .describe('Your own pages'),
    })
    .prefault({})
    .describe('What the docs host shows'),
  metrics: z
    .strictObject({
      engine: z.enum(['embedded', 'prometheus']).default('embedded'),
      url: z
        .url({ protocol: /^https?$/, error: 'an address such as http://127.0.0.1:9090' })
        .optional()
        .describe('Of a Prometheus that somebody else runs'),
      program: z
        .union([z.boolean(), z.string().regex(/^\//, 'a path from the root')], {
          error: 'true, or the path of the program',
        })
        .optional()
        .describe('Start a Prometheus here: `true`, or where the program is'),
    })
    .refine(({ engine, url, program }) => (engine === 'prometheus') === Boolean(url ?? program), {
      error: 'given a url or a program with the engine prometheus, and neither with the embedded one',
    })
    .refine(({ url, program }) => !(url && program), { error: 'given a url or a program, not both' })
    .prefault({})
    .describe('Who scrapes metrics and evaluates rules'),
  retention: z
    .strictObject({
      alerts_days: z.int().min(1).max(3650).default(90),
      events_days: z.int().min(1).max(3650).default(90),
      audit_days: z.int().min(1).max(3650).default(365),
      runs_days: z.int().min(1).max(3650).default(365),
      run_logs_days: z.int().min(1).max(3650).default(90),
    })
    .prefault({})
    .describe('How long what happened is kept'),
  limits: z
    .strictObject({
      body_bytes: z
        .int()
        .min(1024)
        .max(64 * 1024 * 1024)
        .default(1024 * 1024),
      headers_s: z
        .number()
        .positive()
        .max(300)
        .default(10)
        .describe('For the headers of a request to arrive'),
      request_s: z.number().positive().max(3600).default(60).describe('For a request to arrive whole'),
      bad_tokens_per_minute: z
        .int()
        .min(1)
        .max(10_000)
        .default(20)
        .describe('From one address, before it has to wait'),
      deploys_per_minute: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(60)
        .describe('Webhook calls with one token, before it has to wait'),
      runs_per_machine: z.int().min(1).max(100).default(4).describe('On one machine at a time'),
      stop_s: z
        .number()
        .min(0)
        .max(600)
        .default(10)
        .describe('For requests under way when a stop is asked for'),
    })
    .prefault({}),
})

/** What the handbook’s list of options is made from. */
export const configSchema = () => z.toJSONSchema(options, { io: 'input' })

type Options = z.infer<typeof options>

export interface Config extends Options {
  /** Everything that is kept lies here. */
  readonly home: string
}

export interface ConfigSources {
  home: string
  /** Default: quarterdeck.yaml in the home, which need not exist. */
  file?: string | undefined
  /** From the command line or the environment; goes before the file. */
  port?: number | undefined
}

export function loadConfig({ home, file, port }: ConfigSources): Config {
  const path = file ?? join(home, 'quarterdeck.yaml')
  const read = readConfigFile(path, file !== undefined)
  const result = options.safeParse(read.values)
  if (!result.success) throw configFault(path, result.error, read, options)
  const config = result.data
  return { ...config, home, listen: { ...config.listen, port: port ?? config.listen.port } }
}
