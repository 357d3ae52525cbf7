/** `qd export`: all projects and watched services as one file, which `qd apply` takes. */
import { writeFileSync } from 'node:fs'
import { operations, type Project } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from '../api.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { withCallersUmask } from '../umask.ts'
import { type Entry, entryOf } from './entry.ts'
import { environmentText } from './environment-text.ts'
import { serviceEntryOf } from './service-entry.ts'

type ExportOptions = ApiOptions & { file?: string; project?: string[] }

export const exportCommand = (): Command =>
  apiCommand('export', 'write all projects and watched services as one file of YAML, which `qd apply` takes')
    .option('--file <file>', 'where to, instead of standard output; what is there is replaced')
    .option(
      '--project <name>',
      'only this one, and no services; repeatable',
      (name, before: string[] = []) => [...before, name],
    )
    .action(exportProjects)

async function exportProjects(options: ExportOptions): Promise<void> {
  const client = api(options)
  const entries: Record<string, Entry> = {}
  for (const project of await projectsOf(client, options.project)) {
    const { name } = project
    const { items } = await client.call(operations.listVariables, { params: { name } })
    entries[name] = entryOf(project, items)
  }
  const services = options.project ? {} : await servicesOf(client)
  const isAny = Object.keys(services).length > 0
  if (options.json) return printJson({ schema: 1, projects: entries, ...(isAny && { services }) })
  const text = environmentText(entries, services)
  if (options.file === undefined) process.stdout.write(text)
  else await write(options.file, text)
}

function projectsOf(client: Api, names: readonly string[] | undefined): Promise<Project[]> {
  if (!names) return itemsOf(query => client.call(operations.listProjects, { query }))
  const wanted = [...new Set(names)]
  return Promise.all(wanted.map(name => client.call(operations.readProject, { params: { name } })))
}

async function servicesOf(client: Api): Promise<Record<string, Entry>> {
  const kind = 'watched' as const
  const items = await itemsOf(query => client.call(operations.listServices, { query: { ...query, kind } }))
  const entries = items.flatMap(service => {
    const entry = serviceEntryOf(service)
    return entry ? [[service.id, entry] as const] : []
  })
  return Object.fromEntries(entries)
}

function write(file: string, text: string): Promise<void> {
  return withCallersUmask(async () => {
    try {
      writeFileSync(file, text)
    } catch (error) {
      throw new GuidedFault(
        'invalid_fields',
        `${file} cannot be written: ${(error as Error).message}.`,
        'Name a file that you may write, or leave --file out.',
        { cause: error },
      )
    }
  })
}
