/** `qd init`: a new project that keeps every rule, with its workflows, its first commit, and the way to its first deploy. */
import { relative, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { withCallersUmask } from '../umask.ts'
import { beginRepository } from './first-commit.ts'
import { madeText } from './made-text.ts'
import { refuseCollisions, writeNew } from './new-files.ts'
import { projectFiles, projectPaths } from './project-files.ts'
import { repositoryAround } from './repository-around.ts'
import { runtimes } from './runtimes.ts'
import { type InitOptions, nameRule, repositoryRule, wishFrom } from './wish.ts'

export const initCommand = (): Command =>
  new Command('init')
    .description('begin a project: a service that keeps every rule, with tests, CI and deploy workflows')
    .argument('[directory]', 'where; it is made if need be, and nothing in it is overwritten', '.')
    .addOption(new Option('--runtime <name>', 'of the project').choices(Object.keys(runtimes)))
    .option('--name <name>', 'of the project (default: that of the directory)', nameRule)
    .option('--repository <owner/name>', 'as the forge names it (default: that of origin)', repositoryRule)
    .option('--yes', 'ask nothing: what is not given is the default')
    .option('--json', 'for programs: one JSON document instead of text')
    .action(init)

async function init(given: string, options: InitOptions): Promise<void> {
  const directory = resolve(given)
  const around = await repositoryAround(directory)
  const wish = await wishFrom(options, { directory, origin: around.origin })
  if (!wish) return
  const paths = projectPaths(wish.runtime)
  refuseCollisions(directory, paths)
  if (!options.json) process.stderr.write(colours(process.stderr).dim('Building the kit …\n'))
  const files = await projectFiles(wish)
  const git = await withCallersUmask(async () => {
    writeNew(directory, files)
    return around.state === 'none' ? beginRepository(directory, paths, wish) : around
  })
  const made = { directory, ...wish, files: paths, git }
  if (options.json) printJson(made)
  else process.stdout.write(madeText(made, placeOf(directory)))
}

/** As it is reached from here. */
function placeOf(directory: string): string {
  const path = relative(process.cwd(), directory)
  return path.startsWith('..') ? directory : path || '.'
}
