/** `qd backup`: everything that is kept, as of one moment, whether or not the environment runs. */
import { join, resolve } from 'node:path'
import { buildSha } from '@quarterdeck/kit'
import { Command } from 'commander'
import { colours } from './colours.ts'
import { printJson } from './fail.ts'
import { type CommonOptions, configOf, withCommonOptions } from './options.ts'
import { root } from './root.ts'

export const backupCommand = (): Command =>
  withCommonOptions(
    new Command('backup').description('write everything that is kept to a new directory, while it runs'),
  )
    .argument('[directory]', 'default: backups/<time> in the home')
    .action(backup)

async function backup(directory: string | undefined, options: CommonOptions): Promise<void> {
  const { backUp } = await import('@quarterdeck/control')
  const config = configOf(options)
  const name = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  const target = directory ? resolve(directory) : join(config.home, 'backups', name)
  const { created_at, files } = await backUp(config, target, buildSha(root))
  if (options.json) printJson({ directory: target, created_at, files })
  else {
    const { green, dim } = colours(process.stdout)
    process.stdout.write(
      `${green('✓')} ${target}\n  ${dim(`${Object.keys(files).join(', ')}. It holds secrets: keep it where only operators can read it.`)}\n`,
    )
  }
}
