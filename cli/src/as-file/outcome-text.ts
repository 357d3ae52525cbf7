/** What an apply would do, or did, as a difference: + and - for projects, ~ for settings, old → new. */
import type { ApplyOutcome, SettingChange } from '@quarterdeck/contract'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'
import { joinWords } from '../words.ts'

export const changesAnything = ({ created, changed, archived }: ApplyOutcome): boolean =>
  created.length + changed.length + archived.length > 0

export function outcomeText(outcome: ApplyOutcome): string {
  const { green, red, yellow, dim } = colours(process.stdout)
  const lines = [
    ...outcome.created.map(({ name, repository, port }) =>
      green(`+ ${name}  ${plain(repository)}${port === null ? '' : `, port ${port}`}`),
    ),
    ...outcome.changed.flatMap(({ name, changes }) => [
      yellow(`~ ${name}`),
      ...changes.map(change => `    ${changeText(change)}`),
    ]),
    ...outcome.archived.map(name => red(`- ${name}  archived: its units are stopped, its tokens revoked`)),
    ...outcome.secrets_to_set.map(({ project, name }) =>
      yellow(`! ${name} of ${project} is a secret that is not there: qd var set ${project} ${name} --secret`),
    ),
    ...(outcome.not_in_file.length > 0
      ? [dim(`  not in the file, and left as they are: ${outcome.not_in_file.join(', ')}`)]
      : []),
  ]
  return lines.map(line => `${line}\n`).join('')
}

function changeText({ key, before, after }: SettingChange): string {
  const { red, green } = colours(process.stdout)
  if (before === null) return `${plain(key)}: ${green(valueText(after))}`
  return `${plain(key)}: ${red(valueText(before))} → ${green(after === null ? 'none' : valueText(after))}`
}

const valueText = (value: SettingChange['before']): string => {
  const isWords = Array.isArray(value) && value.every(each => typeof each === 'string')
  return plain(isWords ? joinWords(value) : typeof value === 'string' ? value : JSON.stringify(value))
}

/** In a few words. */
export function countText({ created, changed, archived }: ApplyOutcome): string {
  const counts = [
    [created.length, 'added'],
    [changed.length, 'changed'],
    [archived.length, 'archived'],
  ] as const
  return counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(', ')
}
