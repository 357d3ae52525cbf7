/** `qd project set`: changes settings of a project; they count from its next run. */
import { operations, type ProjectChange } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from '../api.ts'
import { colours } from '../colours.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { namesProcesses, wantedProcesses } from './processes.ts'
import { plainSettings, type SettingOptions, withSettings } from './settings.ts'

type SetOptions = ApiOptions & SettingOptions & { removeProcess?: string[] }

export const setCommand = (): Command =>
  withSettings(
    apiCommand('set', 'change settings of a project; they count from its next run')
      .usage('NAME [options] [-- START…]')
      .argument('<name>')
      .argument('[start...]', 'after --: program and arguments of its web process'),
    false,
  )
    .option(
      '--remove-process <name>',
      'a process that it no longer has; repeatable',
      (text, before: string[] = []) => [...before, text],
    )
    .option('--no-machine', 'on every machine of the group')
    .option('--no-interpreter', 'the usual interpreter')
    .option('--no-before-restart', 'nothing before the restart')
    .option('--no-link', 'nothing is kept between releases')
    .option('--no-description', 'without a description')
    .option('--no-depends-on', 'it depends on nothing')
    .option('--no-runbook', 'without a runbook')
    .action(set)

async function set(name: string, start: string[], options: SetOptions): Promise<void> {
  const client = api(options)
  const body = await changeOf(client, name, { ...options, start })
  if (Object.keys(body).length === 0) {
    throw new GuidedFault(
      'invalid_fields',
      `Nothing was said to change of ${name}.`,
      '`qd project set --help` lists what can be changed.',
    )
  }
  const project = await client.call(operations.changeProject, { params: { name }, body })
  if (options.json) return printJson(project)
  const { green, dim } = colours(process.stdout)
  const changed = Object.keys(body).join(', ')
  process.stdout.write(
    `${green('✓')} ${name} was changed: ${changed}.\n  ${dim(`It counts from the next run: \`qd deploy ${name}\`.`)}\n`,
  )
}

/** Processes and limits are sent whole, so what is there is read first. */
async function changeOf(
  client: Api,
  name: string,
  options: SetOptions & { start: string[] },
): Promise<ProjectChange> {
  const change = plainSettings(options) as ProjectChange
  if (!options.limit && !namesProcesses(options)) return change
  const there = await client.call(operations.readProject, { params: { name } })
  return {
    ...change,
    ...(options.limit && { limits: { ...there.limits, ...options.limit } }),
    ...(namesProcesses(options) && { processes: wantedProcesses(there.processes, options) }),
  }
}
