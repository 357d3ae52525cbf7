/** A project as a person would write it: what has its default is left out. */
import { isDeepStrictEqual } from 'node:util'
import { defaultPaths, type Project, projectEntry, type Variable } from '@quarterdeck/contract'

export type Entry = Readonly<Record<string, unknown>>

/** In the order in which they are written; what is not listed comes last. */
const order = [
  ...['repository', 'git_url', 'branch', 'runtime', 'interpreter', 'start', 'port', 'processes'],
  ...['before_restart', 'linked_paths', 'group', 'machines', 'paths', 'health', 'limits'],
  ...['metrics_path', 'description', 'depends_on', 'runbook', 'adopted', 'variables'],
]

type Process = Project['processes'][number]

/** Secrets are only named. */
export function entryOf(project: Project, variables: readonly Variable[] = []): Entry {
  const { processes, paths, ...rest } = project
  const settings = Object.keys(projectEntry.shape).flatMap(key =>
    Object.hasOwn(rest, key) ? [[key, rest[key as keyof typeof rest]] as const] : [],
  )
  const usual = defaultsFor(project)
  const unusual = settings.flatMap(([key, value]) => {
    const left = difference(value, usual[key])
    return left === undefined ? [] : [[key, left] as const]
  })
  const whole: Record<string, unknown> = {
    ...Object.fromEntries(unusual),
    ...processesOf(processes),
    ...(isDeepStrictEqual(paths, [...defaultPaths[project.runtime]]) ? {} : { paths }),
    ...(variables.length > 0 && { variables: variablesOf(variables) }),
  }
  const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length)
  return Object.fromEntries(Object.entries(whole).sort(([a], [b]) => rank(a) - rank(b)))
}

/** What would be there if only what must be said were. */
function defaultsFor({ repository, git_url, runtime }: Project): Entry {
  const {
    repository: _r,
    git_url: _g,
    runtime: _t,
    start: _s,
    ...defaults
  } = projectEntry.parse({
    ...{ repository, git_url, runtime },
    start: ['any'],
  })
  return defaults
}

/** Of an object, such as the limits, only what differs is said; undefined: nothing does. */
function difference(value: unknown, usual: unknown): unknown {
  if (isDeepStrictEqual(value, usual)) return undefined
  if (!isObject(value) || !isObject(usual)) return value
  return Object.fromEntries(Object.entries(value).filter(([key, inner]) => inner !== usual[key]))
}

const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** In the short form where there is nothing but a web process. The port is always said: it is this project's. */
function processesOf(processes: readonly Process[]): Entry {
  const [web, ...others] = processes
  if (web?.name === 'web' && others.length === 0 && !web.socket) return { start: web.start, ...portOf(web) }
  return { processes: processes.map(shortened) }
}

const shortened = (process: Process): Entry => ({
  name: process.name,
  start: process.start,
  ...portOf(process),
  ...(process.timer && { timer: process.timer }),
  ...(process.socket && { socket: true }),
})

const portOf = ({ port }: Process): Entry => (port === null ? {} : { port })

const variablesOf = (variables: readonly Variable[]): Entry =>
  Object.fromEntries(
    variables.map(({ name, secret, value }) => [name, secret ? { secret: true } : (value ?? '')]),
  )
