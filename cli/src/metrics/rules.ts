/** `qd rules check`: whether rule files would be taken, without a running environment. */
import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FieldError } from '@quarterdeck/contract'
import { checkRuleFiles } from '@quarterdeck/control/rules'
import { Command } from 'commander'
import { GuidedFault, printJson } from '../fail.ts'
import { type CommonOptions, withCommonOptions } from '../options.ts'

export const rulesCommand = (): Command =>
  new Command('rules')
    .description('rules of the metrics server')
    .addCommand(
      withCommonOptions(new Command('check'))
        .description('check rule files as the embedded engine would')
        .argument('[files...]', 'by default rules/*.yml in the home')
        .action(check),
    )

async function check(files: readonly string[], { home, json }: CommonOptions): Promise<void> {
  const paths = files.length > 0 ? files.map(file => resolve(file)) : inHome(home)
  if (paths.length === 0)
    throw new GuidedFault(
      'not_found',
      `There are no rules in ${join(home, 'rules')}.`,
      'Name files, or a home with --home.',
    )
  const { problems, groups, rules } = checkRuleFiles(paths)
  if (problems.length > 0)
    throw new GuidedFault(
      'config_invalid',
      `The rules would be refused: ${counted(problems.length, 'problem')}.`,
      'Mend what is named by file and line; with the Prometheus engine, `promtool check rules` is the judge.',
      { fields: problems.map(fieldOf) },
    )
  if (json) printJson({ files: paths, groups, rules })
  else {
    const all = [counted(paths.length, 'file'), counted(groups, 'group'), counted(rules, 'rule')]
    process.stdout.write(`${all.join(', ')}: all in order.\n`)
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** Such as `/home/rules/own.yml:3: not valid YAML`: where, and what. */
function fieldOf(problem: string): FieldError {
  const [field = '', ...rest] = problem.split(': ')
  return { field, message: rest.join(': ') }
}

const inHome = (home: string): string[] =>
  globSync('rules/*.yml', { cwd: home })
    .sort()
    .map(name => join(home, name))
