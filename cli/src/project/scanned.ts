/** What `qd project adopt --scan` found. */
import type { CandidatePage } from '@quarterdeck/contract'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'
import { type Column, table } from '../table.ts'

type Found = CandidatePage['items'][number]

export function scanned(items: readonly Found[], all: boolean): string {
  const { dim } = colours(process.stdout)
  const shown = items.filter(({ work }) => all || work !== null)
  const others = items.length - shown.length
  const rest =
    others === 0
      ? ''
      : dim(
          `${others} more ${others === 1 ? 'unit does' : 'units do'} not run from a working copy (--all).\n`,
        )
  if (shown.length === 0) return `No unit on the machines runs from a git working copy.\n${rest}`
  const first = shown.find(({ obstacles }) => obstacles.length === 0)
  const next = first ? `Adopt one: qd project adopt ${plain(first.unit)}\n` : ''
  return `${table(columns(), shown.map(row))}${obstaclesOf(shown)}${rest}${next}`
}

function columns(): Column[] {
  const { green, yellow } = colours(process.stdout)
  return [
    { title: 'UNIT', flexible: true },
    { title: 'MACHINE', flexible: true },
    { title: 'STATE' },
    { title: 'RUNTIME' },
    { title: 'WORKING COPY', flexible: true },
    { title: 'PORT' },
    { title: 'ADOPTABLE', paint: (padded, text) => (text === 'yes' ? green(padded) : yellow(padded)) },
  ]
}

const row = ({ unit, machine, state, runtime, work, port, obstacles }: Found): string[] => [
  unit,
  machine,
  state,
  runtime ?? '–',
  work ?? '–',
  port === null ? '–' : String(port),
  obstacles.length === 0 ? 'yes' : 'no',
]

function obstaclesOf(items: readonly Found[]): string {
  const lines = items.flatMap(({ obstacles }) => obstacles.map(obstacle => `  ${plain(obstacle)}\n`))
  return lines.length === 0 ? '' : `\nIn the way:\n${lines.join('')}`
}
