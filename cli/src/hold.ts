/** `qd hold` and `qd resume`: whether pushes are deployed or wait. */
import { operations, type Project } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from './api.ts'
import { colours } from './colours.ts'
import { printJson } from './fail.ts'
import { type ApiOptions, apiCommand } from './options.ts'

export const holdCommand = (): Command =>
  apiCommand('hold', 'let pushes wait; rollbacks are not held')
    .argument('<project>')
    .option('--reason <text>', 'for those who wonder')
    .action(hold)

export const resumeCommand = (): Command =>
  apiCommand('resume', 'deploy pushes again; the newest that waits goes first')
    .argument('<project>')
    .action(resume)

async function hold(name: string, options: ApiOptions & { reason?: string }): Promise<void> {
  const { reason } = options
  const project = await api(options).call(operations.holdProject, { params: { name }, body: { reason } })
  tell(project, options, `${name} is held: pushes are accepted and wait until \`qd resume ${name}\`.`)
}

async function resume(name: string, options: ApiOptions): Promise<void> {
  const project = await api(options).call(operations.resumeProject, { params: { name } })
  tell(project, options, `${name} is no longer held; what waits goes on.`)
}

function tell(project: Project, { json }: ApiOptions, sentence: string): void {
  if (json) printJson(project)
  else process.stdout.write(`${colours(process.stdout).green('✓')} ${sentence}\n`)
}
