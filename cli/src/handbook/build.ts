/** `qd handbook build`: the handbook as files. */
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { Fault } from '@quarterdeck/contract'
import { buildSha } from '@quarterdeck/kit'
import { Command } from 'commander'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type CommonOptions, configOf, withCommonOptions } from '../options.ts'
import { root } from '../root.ts'

export const buildCommand = (): Command =>
  withCommonOptions(new Command('build').description('write the handbook as files, for any web server'))
    .argument('<directory>', 'a new one')
    .action(build)

async function build(directory: string, options: CommonOptions): Promise<void> {
  const { addresses } = await import('@quarterdeck/control')
  const { configuredFolders, exportHandbook } = await import('@quarterdeck/control/handbook')
  const target = resolve(directory)
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new Fault('home_not_empty', `${target} is not empty: the handbook goes into a new directory.`)
  const config = configOf(options)
  const { title, description = null, language } = config.handbook
  const { url } = addresses(config)
  const about = { title, description, language, url: url('docs'), homeUrl: url(), sha: buildSha(root) }
  const { pages, problems } = await exportHandbook(configuredFolders(config, root), about, target)
  if (options.json) return printJson({ directory: target, pages, problems })
  const { green } = colours(process.stdout)
  const broken = problems.length === 0 ? '' : ` ${problems.length} to mend: qd handbook check lists them.`
  process.stdout.write(`${green('✓')} ${pages} pages in ${target}.${broken}\n`)
}
