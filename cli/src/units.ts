/** `qd start`, `qd stop` and `qd restart`: the units of a project, on the release that is in place. */
import { actLimitS, operations, type Project } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from './api.ts'
import { colours } from './colours.ts'
import { printJson } from './fail.ts'
import { type ApiOptions, apiCommand } from './options.ts'
import { unitLines } from './project/units-text.ts'

/** Beyond what the machine may take. */
const spareMs = 15_000

const { startUnits, stopUnits, restartUnits } = operations
type Action = typeof startUnits | typeof stopUnits | typeof restartUnits

export const startCommand = (): Command =>
  unitCommand('start', 'start the units of a project', startUnits, 'started')

export const stopCommand = (): Command =>
  unitCommand('stop', 'stop the units of a project until they are started or deployed', stopUnits, 'stopped')

export const restartCommand = (): Command =>
  unitCommand('restart', 'restart the units of a project', restartUnits, 'restarted')

const unitCommand = (verb: string, description: string, action: Action, done: string): Command =>
  apiCommand(verb, description)
    .argument('<project>')
    .action(async (name: string, options: ApiOptions) => {
      const project = await actOn(api(options), action, name)
      if (options.json) printJson(project)
      else process.stdout.write(told(project, done))
    })

/** Waits for as long as its machines may take: with changed variables they prove what they have started. */
export async function actOn(client: Api, action: Action, name: string): Promise<Project> {
  const params = { name }
  const limitMs = actLimitS(await client.call(operations.readProject, { params })) * 1000 + spareMs
  return client.call(action, { params }, { limitMs })
}

function told(project: Project, done: string): string {
  const lines = unitLines(project).map(line => `  ${line}\n`)
  return `${colours(process.stdout).green('✓')} ${project.name} was ${done}.\n${lines.join('')}`
}
