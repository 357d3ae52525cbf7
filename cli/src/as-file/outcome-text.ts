/** What an apply would do, or did, as a difference: + and - for projects and services, ~ for settings, old → new. */
import type { ApplyOutcome, SettingChange } from '@quarterdeck/contract'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'
import { joinWords } from '../words.ts'

export const changesAnything = (outcome: ApplyOutcome): boolean =>
  countsOf(outcome).some(([count]) => count > 0)

export function outcomeText(outcome: ApplyOutcome): string {
  const { green, red, yellow, dim } = colours(process.stdout)
  const notInFile = [...outcome.not_in_file, ...outcome.services.not_in_file]
  const lines = [
    ...outcome.created.map(({ name, repository, port }) =>
      green(`+ ${name}  ${plain(repository)}${port === null ? '' : `, port ${port}`}`),
    ),
    ...outcome.changed.flatMap(({ name, changes }) => [
      yellow(`~ ${name}`),
      ...changes.map(change => `    ${changeText(change)}`),
    ]),
    ...outcome.archived.map(name => red(`- ${name}  archived: its units are stopped, its tokens revoked`)),
    ...outcome.services.created.map(({ name, url }) => green(`+ ${name}  watched at ${plain(url)}`)),
    ...outcome.services.changed.flatMap(({ name, changes }) => [
      yellow(`~ ${name}`),
      ...changes.map(change => `    ${changeText(change)}`),
    ]),
    ...outcome.services.removed.map(name => red(`- ${name}  watched no more`)),
    ...outcome.secrets_to_set.map(({ project, name }) =>
      yellow(`! ${name} of ${project} is a secret that is not there: qd var set ${project} ${name} --secret`),
    ),
    ...(notInFile.length > 0
      ? [dim(`  not in the file, and left as they are: ${notInFile.join(', ')}`)]
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
export const countText = (outcome: ApplyOutcome): string =>
  countsOf(outcome)
    .flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))
    .join(', ')

const countsOf = ({ created, changed, archived, services }: ApplyOutcome) =>
  [
    [created.length + services.created.length, 'added'],
    [changed.length + services.changed.length, 'changed'],
    [archived.length, 'archived'],
    [services.removed.length, 'removed'],
  ] as const
