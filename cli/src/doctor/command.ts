/** `qd doctor`: what this machine lacks for which capability, and how to get it. */
import { Command } from 'commander'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type CommonOptions, withCommonOptions } from '../options.ts'
import type { Check } from './check.ts'
import { checkDemo } from './demo.ts'
import { checkEnvironment } from './environment.ts'
import { checkInstalled } from './installed.ts'
import { checkPrograms, checkSystemd } from './programs.ts'

export const doctorCommand = (): Command =>
  withCommonOptions(
    new Command('doctor').description('tell what this machine lacks for which capability, and how to get it'),
  ).action(doctor)

async function doctor(options: CommonOptions): Promise<void> {
  const checks = [
    ...(await checkEnvironment(options)),
    checkSystemd(),
    ...checkInstalled(),
    ...(await checkPrograms()),
    ...checkDemo(options.home),
  ]
  const ok = checks.every(check => check.ok || !check.required)
  if (options.json) printJson({ ok, checks })
  else process.stdout.write(report(checks, ok))
  if (!ok) process.exitCode = 3
}

function report(checks: Check[], ok: boolean): string {
  const { bold, dim, green, red, yellow } = colours(process.stdout)
  const width = Math.max(...checks.map(({ name }) => name.length))
  const capabilities = [...new Set(checks.map(({ capability }) => capability))]
  const lines = capabilities.flatMap(capability => [
    bold(capability),
    ...checks
      .filter(check => check.capability === capability)
      .flatMap(({ name, ok, required, found, remedy }) => [
        `  ${ok ? green('✓') : required ? red('✗') : yellow('–')} ${name.padEnd(width)}  ${found}`,
        ...(remedy ? [`    ${' '.repeat(width)}  ${dim(`→ ${remedy}`)}`] : []),
      ]),
  ])
  const missing = checks.filter(check => !check.ok && !check.required).length
  const verdict = !ok
    ? red('Something that is needed is missing: see ✗.')
    : missing > 0
      ? `Everything that is needed is there; ${missing} optional ${missing === 1 ? 'thing is' : 'things are'} missing (–).`
      : green('Everything is there.')
  return `${lines.join('\n')}\n\n${verdict}\n`
}
