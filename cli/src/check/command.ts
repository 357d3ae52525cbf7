/** `qd check`: whether a running service keeps the contract, and what to do where it does not. */
import { Command, InvalidArgumentError } from 'commander'
import { printJson } from '../fail.ts'
import { answered, checkService } from './index.ts'
import { reportText } from './report-text.ts'

interface CheckCommandOptions {
  name?: string
  sha?: string
  metrics?: boolean
  json?: true
}

const breached = 3
const unreachable = 4

export const checkCommand = (): Command =>
  new Command('check')
    .description('check whether a running service keeps the contract: health, readiness, version, metrics')
    .argument('<url>', 'where its paths begin, such as http://hello.localhost:8300', serviceUrl)
    .option('--name <name>', 'the name that /version must tell')
    .option('--sha <commit>', 'the commit that /version must tell')
    .option('--metrics', 'demand /metrics (default: checked where it is offered)')
    .option('--no-metrics', 'leave /metrics out')
    .option('--json', 'for programs: one JSON document instead of text')
    .action(check)

async function check(url: string, { json, ...options }: CheckCommandOptions): Promise<void> {
  const report = await checkService(url, options)
  if (json) printJson(report)
  else process.stdout.write(reportText(report))
  if (!report.ok) process.exitCode = answered(report) ? breached : unreachable
}

function serviceUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It must begin with http:// or https://.')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new InvalidArgumentError('It must be without user, password, query and fragment.')
  }
  return text
}
