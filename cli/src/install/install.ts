/** `qd install`: what `npm start` is on a laptop, this is on a server. */
import { operatorTokenFile } from '@quarterdeck/control/client'
import { buildSha } from '@quarterdeck/kit'
import { Command } from 'commander'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { port } from '../options.ts'
import { root } from '../root.ts'
import { type Choice, configOf } from './configuration.ts'
import { refuseForeignLaunchers } from './launcher.ts'
import { changesOf, outcomeLine, summary, table } from './outcome-text.ts'
import { codeHere, places } from './places.ts'
import { installation } from './plan.ts'
import { refuseUnlessServer } from './preflight.ts'
import { untilReady } from './ready.ts'
import { refuseUnsafePlace } from './safe-place.ts'
import { carryOut, type Outcome } from './step.ts'
import { buildUser, controlUser, refuseMisfits, userOf } from './users.ts'

interface InstallOptions extends Choice {
  allowAnyPlace?: true
  dryRun?: boolean
  json?: true
}

const nextCommand = 'qd project add NAME --repository OWNER/REPO --git URL -- python -m app'

export const installCommand = (): Command =>
  new Command('install')
    .description('install it on this server: control, edge and agent as services of systemd')
    .option('--domain <name>', 'the hosts are admin.<name>, status.<name>, … (default: localhost)')
    .option('--port <number>', 'the public port (default: 8300)', port)
    .option('--dry-run', 'tell what would be done, and change nothing')
    .option('--allow-any-place', 'for tests: also run code that others than root can change')
    .option('--json', 'for programs: one JSON document instead of text')
    .action(install)

async function install({ allowAnyPlace, dryRun = false, json, ...choice }: InstallOptions) {
  refuseUnlessServer('install')
  const code = codeHere(buildSha(root))
  if (!allowAnyPlace) refuseUnsafePlace(code)
  refuseMisfits([userOf(controlUser), userOf(buildUser)])
  refuseForeignLaunchers()
  configOf(choice)
  const outcomes = await carryOut(installation(code, choice), {
    dryRun,
    onOutcome: outcome => void (json || process.stdout.write(outcomeLine(outcome))),
  })
  const found = dryRun ? undefined : await whatIsThere()
  if (json) printJson({ dry_run: dryRun, changed: changesOf(outcomes), steps: outcomes, ...found })
  else process.stdout.write(`\n${summary(outcomes, { dryRun })}\n${found ? farewell(found, outcomes) : ''}`)
}

interface Found {
  front_page: string
  admin: string
  data: string
  config: string
  token_file: string
  next: string
}

async function whatIsThere(): Promise<Found> {
  const running = await untilReady()
  const { addresses } = await import('@quarterdeck/control')
  const { url } = addresses(configOf({}), running.port)
  return {
    front_page: url(),
    admin: url('admin'),
    data: places.data,
    config: places.config,
    token_file: operatorTokenFile(places.control),
    next: nextCommand,
  }
}

function farewell(found: Found, outcomes: readonly Outcome[]): string {
  const { bold, cyan, green } = colours(process.stdout)
  const verb = changesOf(outcomes) > 0 ? 'is installed and running' : 'runs as it was installed'
  const rows = [
    ['Front page', cyan(found.front_page)],
    ['Admin', cyan(found.admin)],
    ['Data', found.data],
    ['Configuration', found.config],
    ['Operator’s token', found.token_file],
    ['Log', 'journalctl -u quarterdeck -u quarterdeck-agent'],
    ['Next', found.next],
  ] as const
  return `${green('✓')} ${bold('Quarterdeck')} ${verb}.\n\n${table(rows)}`
}
