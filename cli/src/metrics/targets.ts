/** `qd targets`: what is scraped, and how that goes. */
import { type ActiveTarget, prometheusTargetsDocument } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { table } from '../table.ts'
import { askMetrics } from './ask-metrics.ts'

export const targetsCommand = (): Command =>
  apiCommand('targets', 'show what is scraped for metrics')
    .option('--down', 'only those that are not up')
    .action(targets)

async function targets({ down, ...options }: ApiOptions & { down?: true }): Promise<void> {
  const answer = await askMetrics(options, '/api/v1/targets', { state: 'active' }, prometheusTargetsDocument)
  const shown = answer.data.activeTargets.filter(({ health }) => !down || health !== 'up')
  if (options.json) printJson({ items: shown })
  else if (shown.length === 0) process.stdout.write(down ? 'Every target is up.\n' : 'Nothing is scraped.\n')
  else process.stdout.write(`${table(columns, shown.map(row))}${errorsText(shown)}`)
}

/** In full: what is wrong stands at the end of the line, which a column would cut off. */
function errorsText(targets: readonly ActiveTarget[]): string {
  const { red } = colours(process.stdout)
  const lines = targets
    .filter(({ lastError }) => lastError !== '')
    .map(({ scrapePool, lastError }) => `${red('✕')} ${plain(`${scrapePool}: ${lastError}`)}\n`)
  return lines.length > 0 ? `\n${lines.join('')}` : ''
}

const columns = [
  { title: 'JOB' },
  { title: 'HEALTH' },
  { title: 'EVERY' },
  { title: 'ADDRESS', flexible: true },
] as const

const row = ({ scrapePool, health, scrapeInterval, scrapeUrl }: ActiveTarget): string[] => [
  scrapePool,
  health,
  scrapeInterval,
  scrapeUrl,
]
