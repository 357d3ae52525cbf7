/** What a unit on a machine tells of itself, as the document of a new project. */
import type { CandidatePage, ProjectCreate } from '@quarterdeck/contract'
import { GuidedFault } from '../fail.ts'
import { plainSettings, type SettingOptions } from './settings.ts'

export type AdoptOptions = SettingOptions & { name?: string; worker?: string[] }
type Found = CandidatePage['items'][number]

/** What a unit that is there has settled already. */
const settled = {
  process: '--process',
  timer: '--timer',
  socket: '--socket',
  link: '--link',
  runtime: '--runtime',
}

export function adoptedDocument(
  unit: string,
  candidates: readonly Found[],
  options: AdoptOptions,
): ProjectCreate {
  const given = Object.entries(settled).find(([key]) => options[key as keyof typeof settled] !== undefined)
  if (given)
    throw new GuidedFault(
      'invalid_fields',
      `${given[1]} is not for adopted units.`,
      'Leave it out: the unit says it.',
    )
  const main = foundOf(unit, candidates)
  const workers = (options.worker ?? []).map(text => workerOf(text, candidates))
  const port = options.port ?? main.port ?? undefined
  const name = options.name ?? nameOf(main.unit)
  const first = { name: port === undefined ? nameOf(main.unit) : 'web', found: main, port }
  const processes = [first, ...workers]
  const document = {
    branch: main.branch ?? 'main',
    interpreter: main.interpreter,
    git_url: main.git_url ?? undefined,
    repository: main.git_url ? repositoryOf(main.git_url) : undefined,
    ...plainSettings(options),
    ...(options.limit && { limits: options.limit }),
    machines: [main.machine],
    name,
    runtime: main.runtime,
    processes: processes.map(({ name, found, ...rest }) => ({ name, start: found.start, ...rest })),
    adopted: {
      work: main.work,
      environment: main.environment,
      user: main.user,
      units: Object.fromEntries(processes.map(({ name, found }) => [name, found.unit])),
    },
  }
  refuseMissing(document)
  // Control checks it, and names each field that cannot be.
  return document as unknown as ProjectCreate
}

function foundOf(unit: string, candidates: readonly Found[]): Found {
  const name = unit.endsWith('.service') ? unit : `${unit}.service`
  const found = candidates.find(candidate => candidate.unit === name)
  if (!found)
    throw new GuidedFault(
      'not_found',
      `There is no unit ${name} that others have made.`,
      'See which there are: qd project adopt --scan --all',
    )
  const [first, ...more] = found.obstacles
  if (first) throw new GuidedFault('not_adoptable', first, more.join(' ') || 'Mend that, and try again.')
  return found
}

function workerOf(text: string, candidates: readonly Found[]): { name: string; found: Found } {
  const [, name, unit] = /^([\w-]+)=(.+)$/.exec(text) ?? []
  if (name && unit) return { name, found: foundOf(unit, candidates) }
  throw new GuidedFault(
    'invalid_fields',
    `--worker ${text} does not say which unit.`,
    'It must be such as mailer=hello-mailer.service.',
  )
}

function refuseMissing({ git_url, repository }: { git_url?: unknown; repository?: unknown }): void {
  const missing = [!repository && '--repository OWNER/NAME', !git_url && '--git URL'].filter(Boolean)
  if (missing.length > 0)
    throw new GuidedFault(
      'invalid_fields',
      'The working copy does not tell where it comes from.',
      `Say it with ${missing.join(' and ')}.`,
    )
}

/** The last two parts of its address, as forges have it. */
function repositoryOf(url: string): string | undefined {
  const [, owner, name] = /([\w.-]+)[/:]([\w.-]+?)(?:\.git)?\/?$/.exec(url) ?? []
  return owner && name ? `${owner}/${name}` : undefined
}

/** As a project may be called. */
const nameOf = (unit: string): string =>
  unit
    .replace(/\.service$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
