/** One page for each project, made from what is known of it: where it is, how it is reached, what happened to it last. */
import { type Project, pageId } from '@quarterdeck/contract'
import { code, pageText, plain, table } from './markdown-text.ts'

const mostDocs = 20

export interface LastRun {
  readonly sha: string | null
  readonly kind: string
  readonly status: string
  readonly endedAt: string | null
  readonly createdAt: string
  /** Why it failed. */
  readonly error: string | null
}

export interface LastProblem {
  readonly name: string
  readonly severity: string
  readonly openedAt: string
  /** Null: it is there now. */
  readonly endedAt: string | null
}

export interface KnownProject {
  readonly project: Project
  /** The newest first. */
  readonly runs: readonly LastRun[]
  /** The newest first. */
  readonly problems: readonly LastProblem[]
  /** Ids of the pages from `docs/` in its repository. */
  readonly docs: readonly string[]
}

export function projectList(projects: readonly KnownProject[]): string {
  const rows = projects.map(({ project }) => [
    `[${project.name}](/projects/${project.name})`,
    plain(project.group),
    plain(project.repository),
    shaOf(project),
  ])
  return pageText(
    {
      title: 'Projects',
      description: 'Everything that is deployed here, with a page for each.',
      kind: 'operations',
      order: 900,
    },
    rows.length === 0
      ? 'There are none yet. [Starting a project](/starting-a-project) says how to begin one.'
      : table(['project', 'group', 'repository', 'runs'], rows),
  )
}

export function projectPage({ project, runs, problems, docs }: KnownProject): string {
  const { name, repository, group, url, instances, processes, runbook } = project
  const facts: [string, string][] = [
    ['Address', url ? `<${url}>` : 'none: it has no web process'],
    ['Repository', `${plain(repository)}, branch ${code(project.branch)}`],
    ['Owner', plain(repository.split('/')[0]!)],
    ['Group', plain(group)],
    ['Machines', instances.map(({ machine }) => plain(machine)).join(', ') || 'none yet'],
    ['Runs', shaOf(project)],
    ['Runtime', plain(project.runtime)],
    ['Pushes', project.held ? 'are held' : 'are deployed'],
    ['Runbook', runbookOf(runbook)],
    ...(docs.length > 0 ? ([['Its own pages', docsOf(project, docs)]] as [string, string][]) : []),
  ]
  return pageText(
    {
      title: name,
      description: `${repository} in ${group}: where it runs, how it is reached, what was deployed last.`,
      kind: 'operations',
      services: [name],
      tags: ['project', group],
    },
    `${table(['', ''], facts)}

## Units

${table(
  ['process', 'unit, where systemd runs', 'port'],
  processes.map(process => [
    plain(process.name),
    code(unitOf(project, process.name)),
    process.port === null ? '–' : String(process.port),
  ]),
)}

## Last deploys

${
  runs.length === 0
    ? 'None yet.'
    : table(
        ['when', 'what', 'commit', 'how it ended'],
        runs.map(({ endedAt, createdAt, kind, sha, status, error }) => [
          plain(endedAt ?? createdAt),
          kind,
          sha ? code(sha.slice(0, 12)) : '–',
          error && /^[a-z_]+$/.test(error) ? `${status}: [${code(error)}](/run-errors/${error})` : status,
        ]),
      )
}

## Last alerts

${
  problems.length === 0
    ? 'None yet.'
    : table(
        ['since', 'what', 'severity', 'until'],
        problems.map(({ name: alert, severity, openedAt, endedAt }) => [
          plain(openedAt),
          plain(alert),
          plain(severity),
          endedAt ? plain(endedAt) : '**now**',
        ]),
      )
}

## When something is wrong

1. \`qd alert list\` tells what is open; \`qd project show ${name}\` what is in place; \`qd logs ${name}\` what its units say.
2. \`qd rollback ${name}\` goes back to what ran before ([going back](/deploying#going-back)).
3. \`qd restart ${name}\` starts it again. [Troubleshooting](/troubleshooting) goes through the causes.`,
  )
}

const shaOf = ({ instances }: Project) => {
  const shas = [...new Set(instances.flatMap(({ sha }) => (sha ? [sha.slice(0, 12)] : [])))]
  return shas.length === 0 ? 'not deployed yet' : shas.map(code).join(', ')
}

/** The page that stands for the folder, if there is one, is `docs`. */
function docsOf({ name }: Project, ids: readonly string[]): string {
  const folder = `projects/${name}/`
  const links = ids.slice(0, mostDocs).map(id => `[${plain(id.replace(folder, ''))}](/${id})`)
  const more = ids.length - links.length
  return `${links.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const unitOf = ({ name, adopted }: Project, process: string) =>
  adopted?.units[process] ?? (process === 'web' ? `qd-${name}.service` : `qd-${name}.${process}.service`)

/** An address, or a page of the handbook. */
function runbookOf(runbook: string | null | undefined): string {
  if (!runbook) return 'none: name one with `qd project set`, or see [runbook templates](/runbook-templates)'
  if (pageId.safeParse(runbook).success) return `[${plain(runbook)}](/${runbook})`
  return /^https?:\/\/[^\s<>|]+$/.test(runbook) ? `<${runbook}>` : plain(runbook)
}
