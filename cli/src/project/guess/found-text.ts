/** What was found in a repository and why, a line each, and what is left to whoever adds it. */
import { colours } from '../../colours.ts'
import { plain } from '../../plain.ts'
import { joinWords } from '../../words.ts'
import type { Address } from './address.ts'
import type { RepositoryContent } from './clone.ts'
import type { Guess } from './guessed.ts'
import type { LookOptions } from './look.ts'

type Line = readonly [what: string, value: string, why: string]

/** What an option says is not told: whoever gave it knows. */
export function foundText(
  { gitUrl, name, repository }: Address,
  { branch }: RepositoryContent,
  { runtime, processes, beforeRestart, paths, notes }: Guess,
  options: LookOptions,
): string {
  const web = processes?.value.find(process => process.name === 'web')
  const others = processes?.value.filter(process => process !== web) ?? []
  const lines: (Line | false | undefined | '')[] = [
    !options.name && name && ['name', name, 'from the address'],
    !options.repository && repository && ['repository', repository, 'from the address'],
    !options.branch && ['branch', branch, 'what its HEAD names'],
    !options.runtime && runtime && ['runtime', runtime.value, runtime.why],
    options.start.length === 0 && web && ['start', joinWords(web.start), processes!.why],
    options.start.length === 0 && web?.socket && ['socket', 'yes', 'it uses the kit, or says so itself'],
    ...others.map((process): Line => [process.name, joinWords(process.start), processes!.why]),
    beforeRestart && ['before restart', joinWords(beforeRestart.value), beforeRestart.why],
    paths && ['deployed for', paths.value.join(', '), paths.why],
  ]
  const said = lines.filter(line => !!line)
  const { dim, yellow } = colours(process.stderr)
  const width = Math.max(0, ...said.map(([what]) => what.length))
  return [
    `Found in ${plain(gitUrl)}:`,
    ...said.map(
      ([what, value, why]) => `  ${what.padEnd(width)}  ${plain(value)}  ${dim(`(${plain(why)})`)}`,
    ),
    ...notes.map(note => `${yellow('!')} ${plain(note)}`),
    '',
  ].join('\n')
}
