/** `qd uninstall`: services, units and launchers go; data stays, unless told. */
import { buildSha } from '@quarterdeck/kit'
import { Command } from 'commander'
import { confirm } from '../confirm.ts'
import { printJson } from '../fail.ts'
import { root } from '../root.ts'
import { changesOf, outcomeLine, summary } from './outcome-text.ts'
import { codeHere, places } from './places.ts'
import { removal } from './plan.ts'
import { refuseUnlessServer } from './preflight.ts'
import { carryOut } from './step.ts'
import { statOf } from './whole-file.ts'

interface UninstallOptions {
  purge?: boolean
  yes?: true
  dryRun?: boolean
  json?: true
}

export const uninstallCommand = (): Command =>
  new Command('uninstall')
    .description('take it off this server: services, units and qd; data stays, unless --purge')
    .option('--purge', 'also remove data, configuration and users, of projects too')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'tell what would be done, and change nothing')
    .option('--json', 'for programs: one JSON document instead of text')
    .action(uninstall)

async function uninstall({ purge = false, yes, dryRun = false, json }: UninstallOptions) {
  refuseUnlessServer('uninstall')
  if (purge && !yes && !dryRun && !(await confirm(question))) return
  const outcomes = await carryOut(removal(codeHere(buildSha(root)), { purge }), {
    dryRun,
    onOutcome: outcome => void (json || process.stdout.write(outcomeLine(outcome))),
  })
  if (json) printJson({ dry_run: dryRun, changed: changesOf(outcomes), steps: outcomes })
  else process.stdout.write(`\n${summary(outcomes, { dryRun })}\n${remains()}`)
}

const question = `Remove Quarterdeck with all data in ${places.data}, of every project? It cannot be undone.`

function remains(): string {
  const kept = [places.data, places.settings].filter(path => statOf(path) !== undefined)
  const data = kept.length > 0 ? `${kept.join(' and ')} are kept: qd install finds them again.\n` : ''
  return `${data}The code in ${root} is left alone.\n`
}
