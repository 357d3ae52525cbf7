/**
 * `.git/config` of a working copy is the agent's own file, and it says only what is written here. So the address and the
 * branch always match the project, for whoever uses git there by hand too, and nothing in it can name a program to run:
 * filters, ssh commands and includes are gone before git reads it.
 */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import type { Source } from './commands/git.ts'

/** How the repository is stored: git cannot read it without these. */
const storage = /^\s*(objectformat|refstorage)\s*=\s*(\w+)\s*$/gim

/** What someone else had written there is kept beside it. */
export function alignSettings(gitDirectory: string, source: Source): void {
  const file = join(gitDirectory, 'config')
  const found = textOf(file)
  const wanted = settingsFor(source, found)
  if (found === wanted) return
  copyFileSync(file, `${file}.replaced`)
  writeFileSync(`${file}.new`, wanted)
  renameSync(`${file}.new`, file)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new RunFault('working_copy_broken', `${file} cannot be read.`, { cause: error })
  }
}

function settingsFor({ git_url, branch }: Source, found: string): string {
  const extensions = [...found.matchAll(storage)].map(([, name, value]) => `\t${name} = ${value}`)
  return [
    '# Kept by Quarterdeck: it is written anew when it differs from the project.',
    '[core]',
    `\trepositoryformatversion = ${extensions.length > 0 ? 1 : 0}`,
    '\tfilemode = true',
    '\tbare = false',
    '\tlogallrefupdates = true',
    ...(extensions.length > 0 ? ['[extensions]', ...extensions] : []),
    '[remote "origin"]',
    `\turl = ${quoted(git_url)}`,
    '\ttagOpt = --no-tags',
    `\tfetch = ${quoted(`+refs/heads/${branch}:refs/remotes/origin/${branch}`)}`,
    `[branch ${quoted(branch)}]`,
    '\tremote = origin',
    `\tmerge = ${quoted(`refs/heads/${branch}`)}`,
    '',
  ].join('\n')
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
