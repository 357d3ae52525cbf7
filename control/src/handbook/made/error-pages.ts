/** One page for each error of the catalogue, and one for each reason why a run fails. */
import { type ErrorEntry, errors, type RunErrorEntry, runErrors } from '@quarterdeck/contract'
import { code, pageText, plain, table } from './markdown-text.ts'

const turn: Record<ErrorEntry['family'], string> = {
  refused: 'Whoever asked can mend it',
  unreachable: 'Another side does not answer, or cannot work',
  bug: 'Ours: it is a mistake of Quarterdeck. Please report it',
}

/** By path. */
export function errorPages(): Map<string, string> {
  const catalogue = Object.entries(errors) as [string, ErrorEntry][]
  const runs = Object.entries(runErrors) as [string, RunErrorEntry][]
  return new Map([
    ['errors/index.md', errorList(catalogue)],
    ...catalogue.map(([name, entry]): [string, string] => [`errors/${name}.md`, errorPage(name, entry)]),
    ['run-errors/index.md', runErrorList(runs)],
    ...runs.map(([name, entry]): [string, string] => [`run-errors/${name}.md`, runErrorPage(name, entry)]),
  ])
}

const errorList = (catalogue: readonly [string, ErrorEntry][]) =>
  pageText(
    {
      title: 'Errors',
      description: 'Every error that the environment answers with, what it means and what to do.',
      kind: 'reference',
      order: 70,
    },
    `An error is a problem document (RFC 9457) or a page. Its code is stable; its \`type\` leads to one of these pages.

${table(
  ['code', 'status', 'title'],
  catalogue.map(([name, { status, title }]) => [
    `[${code(name)}](/errors/${name})`,
    String(status),
    plain(title),
  ]),
)}`,
  )

const errorPage = (name: string, { status, family, title, meaning, remedy }: ErrorEntry) =>
  pageText(
    { title, kind: 'reference', tags: ['error', name] },
    `${meaning}

## What to do

${remedy}

## In an answer

${table(['code', 'status', 'whose turn it is'], [[code(name), String(status), turn[family]]])}`,
  )

const runErrorList = (runs: readonly [string, RunErrorEntry][]) =>
  pageText(
    {
      title: 'Why a run failed',
      description: 'Every code that a failed run has, what it means and what to do.',
      kind: 'reference',
      order: 75,
    },
    `A run that failed says in one sentence why, and has one of these codes. \`qd run ID\` shows it, and \`qd logs\` the last lines of the unit.

${table(
  ['code', 'what it means'],
  runs.map(([name, { meaning }]) => [`[${code(name)}](/run-errors/${name})`, cell(meaning)]),
)}`,
  )

const runErrorPage = (name: string, { meaning, remedy }: RunErrorEntry) =>
  pageText(
    { title: name.replaceAll('_', ' '), kind: 'reference', tags: ['run error', name] },
    `${meaning} The run has the code ${code(name)}.

## What to do

${remedy}`,
  )

/** The catalogue’s texts are ours, and Markdown. */
const cell = (text: string) => text.replaceAll('|', '\\|')
