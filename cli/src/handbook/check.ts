/** `qd handbook check`: broken links, ids that are taken, front matter that is not right, each with file and line. */
import { join, resolve } from 'node:path'
import type { FolderOptions } from '@quarterdeck/control/handbook'
import { Command } from 'commander'
import { colours } from '../colours.ts'
import { printJson, runFailed } from '../fail.ts'
import { type CommonOptions, configOf, withCommonOptions } from '../options.ts'
import { plain } from '../plain.ts'
import { root } from '../root.ts'

export const checkPagesCommand = (): Command =>
  withCommonOptions(new Command('check').description('tell what is broken in the handbook’s pages'))
    .argument('[folder...]', 'folders of Markdown (default: those of the configuration, and the manual)')
    .action(check)

/** One’s own pages link to it, too. */
const manual: FolderOptions = { folder: join(root, 'handbook'), prefix: '', shipped: true }

async function check(folders: string[], options: CommonOptions): Promise<void> {
  const { checkHandbook, configuredFolders, problemText } = await import('@quarterdeck/control/handbook')
  const named = folders.map((folder): FolderOptions => ({ folder: resolve(folder), prefix: '' }))
  const { pages, problems } = await checkHandbook(
    named.length > 0 ? [...named, manual] : configuredFolders(configOf(options), root),
  )
  if (problems.length > 0) process.exitCode = runFailed
  if (options.json) return printJson({ ok: problems.length === 0, pages, problems })
  const { red, green } = colours(process.stdout)
  const lines = problems.map(problem => `${red('✗')} ${plain(problemText(problem))}\n`)
  const verdict =
    problems.length === 0
      ? `${green('✓')} ${pages} pages, nothing broken.`
      : `${problems.length} to mend in ${pages} pages.`
  process.stdout.write(`${lines.join('')}${verdict}\n`)
}
