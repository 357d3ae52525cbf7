/** `qd restore`: fills an empty home from a backup; also the way from SQLite to PostgreSQL. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { colours } from './colours.ts'
import { printJson } from './fail.ts'
import { type CommonOptions, configOf, withCommonOptions } from './options.ts'

export const restoreCommand = (): Command =>
  withCommonOptions(new Command('restore').description('fill an empty home and database from a backup'))
    .argument('<directory>', 'a directory that qd backup made')
    .action(restore)

async function restore(directory: string, options: CommonOptions): Promise<void> {
  const { restoreFrom, takeHome } = await import('@quarterdeck/control')
  const source = resolve(directory)
  const home = takeHome(options.home)
  try {
    const config = configOf({ ...options, ...configuration(options, source) })
    const { created_at, sha } = await restoreFrom(config, source)
    if (options.json) printJson({ home: config.home, created_at, sha })
    else
      process.stdout.write(
        `${colours(process.stdout).green('✓')} ${config.home} now holds the backup of ${created_at}.\n`,
      )
  } finally {
    home.release()
  }
}

/** A home without a configuration of its own gets the backup's, and so the database that it names. */
function configuration({ home, config }: CommonOptions, source: string): { config?: string } {
  const [own, saved] = [home, source].map(directory => join(directory, 'quarterdeck.yaml'))
  return config || existsSync(own!) || !existsSync(saved!) ? {} : { config: saved! }
}
