/** Makes one sentence of what an installer says when it fails. */
import { RunFault } from '@quarterdeck/contract'
import { noSpace, shortened, withoutCredentials } from './installer-settings.ts'
import type { RunResult } from './runtime.ts'

const noIndex =
  /NewConnectionError|ConnectTimeoutError|NameResolutionError|Name or service not known|Temporary failure in name|ProxyError|dns error/i
/** True, and of no help: what they point at is told before them. */
const generic = /^(ResolutionImpossible|Exception:|subprocess-exited-with-error|metadata-generation-failed)/
/** Debian has them in packages of their own. */
const noInstaller = /No module named '?(ensurepip|venv)\b/

const noInstallerSentence =
  'There is no pip on the machine that could install requirements.txt: add python3-pip or python3-venv.'

/** `what` is what was tried, for a program that ended without a word. */
export function installFault(result: RunResult, what: string): RunFault {
  const output = `${result.stdout}\n${result.stderr}`
  if (noSpace.test(output)) return new RunFault('disk_full', `${what} filled the disk.`)
  if (result.code === null)
    return new RunFault('install_failed', `${what} was killed from outside, perhaps for want of memory.`)
  if (noInstaller.test(output)) return new RunFault('install_failed', noInstallerSentence)
  return new RunFault('install_failed', sentence(output) ?? `${what} ended with exit code ${result.code}.`)
}

function sentence(output: string): string | undefined {
  const lines = output.split(/\r?\n|\r/).map(line => line.trim())
  const told = errorIn(lines) ?? failureIn(lines) ?? lines.findLast(line => line !== '')
  if (!told) return undefined
  const reasons = [lastOutput(lines), noIndex.test(output) && 'the package index could not be reached']
  const whole = [told.replace(/[.:]$/, ''), ...reasons.filter(Boolean)].join(': ')
  return withoutCredentials(shortened(whole)) + (whole.includes('.txt') ? '' : ' (requirements.txt)')
}

/** pip's own ERROR line, the one that names a requirement before others. */
function errorIn(lines: readonly string[]): string | undefined {
  const errors = lines
    .flatMap(line => /^error: (.+)$/i.exec(line)?.[1] ?? [])
    .filter(line => !generic.test(line))
  return errors.findLast(line => line.startsWith('No matching distribution')) ?? errors.at(-1)
}

/** What uv, or pip of a package's own build, marks as the failure, with the package that was in hand. */
function failureIn(lines: readonly string[]): string | undefined {
  const at = lines.findIndex(line => line.startsWith('×'))
  if (at < 0) return undefined
  const inHand = lines.findLast(line => /^(Collecting|Processing) /.test(line))?.split(' ')[1]
  const marked = lines[at + 1]?.startsWith('╰─▶') ? `${lines[at]} ${lines[at + 1]}` : lines[at]!
  return (inHand ? `${inHand}: ` : '') + marked.replaceAll(/[×╰─▶]+\s*/g, '').trim()
}

/** The last thing that the build of a package said; pip frames it. */
function lastOutput(lines: readonly string[]): string | undefined {
  const end = lines.lastIndexOf('[end of output]')
  return end > 0 ? lines.slice(0, end).findLast(line => line !== '') : undefined
}
