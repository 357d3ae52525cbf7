/** `qd project list`: every project, and how it is. */
import { operations, type Project } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { shortSha } from '../run/ending.ts'
import { type Column, table } from '../table.ts'
import { stateOf } from './units-text.ts'

export const listCommand = (): Command =>
  apiCommand('list', 'list the projects, and how they are').alias('ls').action(list)

async function list(options: ApiOptions): Promise<void> {
  const client = api(options)
  const items = await itemsOf(query => client.call(operations.listProjects, { query }))
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write('There are no projects yet: `qd project add` adds one.\n')
  else process.stdout.write(table(columns(), items.map(row)))
}

function columns(): Column[] {
  const { green, red, yellow, dim } = colours(process.stdout)
  const paint = (padded: string, text: string) =>
    text.includes('held')
      ? yellow(padded)
      : text === 'running'
        ? green(padded)
        : text === 'failed'
          ? red(padded)
          : dim(padded)
  return [
    // Names and addresses are there to be copied: one that was cut leads nowhere.
    { title: 'PROJECT' },
    { title: 'REPOSITORY', flexible: true },
    { title: 'GROUP', flexible: true },
    { title: 'STATE', paint },
    { title: 'COMMIT' },
    { title: 'ADDRESS' },
  ]
}

const row = (project: Project): string[] => [
  project.name,
  project.repository,
  project.group,
  project.held ? `${stateOf(project)}, held` : stateOf(project),
  commitsOf(project),
  project.url ?? '–',
]

/** Machines that differ are named by how many commits they have. */
function commitsOf({ instances }: Project): string {
  const commits = new Set(instances.map(({ sha }) => shortSha(sha)))
  return commits.size === 0 ? '–' : commits.size === 1 ? [...commits][0]! : `${commits.size} differ`
}
