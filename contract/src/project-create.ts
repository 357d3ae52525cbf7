/** A project as POST projects takes it: most of it has a default. */
import { z } from 'zod'
import { adoption } from './adoption.ts'
import { document } from './document.ts'
import { health, innerPath, interpreter, processRules, start, type Timer, timer } from './project-settings.ts'
import { dependencies } from './watched-service.ts'
import { line, port, type Runtime, repository, runtime, slug } from './wire.ts'

/** What a push must touch to be deployed, where a project does not say. */
export const defaultPaths = {
  python: ['app/', 'deploy/', 'requirements.txt'],
  node: ['app/', 'deploy/', 'requirements.txt', 'package.json', 'package-lock.json'],
} as const satisfies Record<Runtime, readonly string[]>

const processPort = port.nullable().describe('of web only; workers and timers have none')

const seconds = z.number().positive().max(86_400)

/** The longest that each step may take; `verify` has its own in `health`. */
export const stepLimits = z.object({
  fetch_s: seconds.default(300),
  install_s: seconds.default(900),
  before_restart_s: seconds.default(600),
  restart_s: seconds.default(120),
})

/** What is absent stays as it is. */
export const stepLimitsChange = z
  .strictObject({ fetch_s: seconds, install_s: seconds, before_restart_s: seconds, restart_s: seconds })
  .partial()

const gitUrl = z
  .string()
  .max(500)
  .regex(
    /^((https?|ssh|git|file):\/\/(?!-)|\/|\w[\w.-]*@\w[\w.-]*:(?!-))\S+$/,
    'an https, ssh, git or file address, user@host:path, or an absolute path',
  )
  .regex(
    /^(?!\w+:\/\/[^/@]*:[^/]*@)/,
    'must not hold a password: `qd project access NAME --token-stdin` takes one',
  )

/** What a project is made with and read back with alike. */
export const projectSettings = z.object({
  name: slug,
  repository,
  git_url: gitUrl.describe('where it is fetched from'),
  branch: z
    .string()
    .max(200)
    .regex(/^(?!.*\.\.)\w[\w./-]*$/, 'a branch name')
    .default('main'),
  group: slug.default('production'),
  machines: z.array(slug).default([]).describe('empty: every machine of the group'),
  runtime,
  interpreter: interpreter
    .nullable()
    .default(null)
    .describe('what the environment is made with; null: python3 or node'),
  before_restart: start
    .nullable()
    .default(null)
    .describe('once per run, in the new release, such as a migration'),
  linked_paths: z
    .array(innerPath)
    .default([])
    .describe(
      'paths in the release that are links into data/, such as uploads or .env; one that ends in / is a directory',
    ),
  health: health.default({ timeout_s: 60 }),
  limits: stepLimits.prefault({}),
  metrics_path: z
    .string()
    .regex(/^\/\S*$/, 'a path, starting with a slash')
    .default('/metrics'),
  description: line.max(500).nullable().default(null).describe('what it is, for everybody'),
  depends_on: dependencies.default([]),
  runbook: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('address of the runbook, or its page id in the handbook'),
  adopted: adoption
    .nullable()
    .default(null)
    .describe('where its units, working copy and environment were already; null: Quarterdeck makes them'),
})

export const projectProcess = z.object({
  name: slug,
  start,
  port: processPort,
  timer: timer.nullable().default(null).describe('null: it runs all the time'),
  socket: z
    .boolean()
    .default(false)
    .describe('its server takes a socket that systemd passes, so that a restart refuses no connection'),
})
export type ProjectProcess = z.infer<typeof projectProcess>

export const projectPaths = z.array(z.string().regex(/^[^/\s]/, 'a path within the repository')).min(1)

interface Processes {
  adopted: z.infer<typeof adoption> | null
  processes?: { name: string; timer?: Timer | null | undefined; socket?: boolean | undefined }[] | undefined
}

function isAdoptedWhole({ adopted, processes = [{ name: 'web' }] }: Processes): boolean {
  if (!adopted) return true
  const units = Object.keys(adopted.units).sort()
  const names = processes.map(({ name }) => name).sort()
  return String(units) === String(names) && !processes.some(({ timer, socket }) => timer || socket)
}

/** `start` and `port` are short for one process named web. A web process without a port is given a free one. */
export const projectCreate = projectSettings
  .extend({
    start: start.optional(),
    port: port.optional(),
    processes: z
      .array(projectProcess.partial({ port: true, timer: true, socket: true }))
      .min(1)
      .optional(),
    paths: projectPaths
      .optional()
      .describe('by default app/, deploy/, requirements.txt; for Node also package.json and its lock file'),
  })
  .refine(({ start, processes }) => (start === undefined) !== (processes === undefined), {
    path: ['start'],
    error: 'either start or processes, and not both',
  })
  .refine(({ port, processes }) => port === undefined || processes === undefined, {
    path: ['port'],
    error: 'goes with start; with processes the port stands in the process web',
  })
  .refine(...processRules.ownNames)
  .refine(({ processes = [] }) => processes.every(({ name, port }) => name === 'web' || port == null), {
    path: ['processes'],
    error: 'only the process web has a port',
  })
  .refine(...processRules.webWithoutTimer)
  .refine(...processRules.socketOfWebAlone)
  .refine(isAdoptedWhole, {
    path: ['adopted', 'units'],
    error: 'must name one unit for each process, which has neither timer nor socket of ours',
  })
export type ProjectCreate = z.infer<typeof projectCreate>

export const projectCreateDocument = document('project-create', projectCreate, {
  name: 'hello',
  repository: 'acme/hello',
  git_url: 'https://github.com/acme/hello.git',
  branch: 'main',
  group: 'production',
  machines: ['web-1'],
  runtime: 'python',
  start: ['python', '-m', 'app'],
  port: 8101,
  health: { timeout_s: 60 },
  metrics_path: '/metrics',
  paths: ['app/', 'deploy/', 'requirements.txt'],
  runbook: 'https://docs.example.com/runbooks/hello',
})
