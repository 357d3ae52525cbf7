/** Makes one sentence of what npm says when it fails. */
import { RunFault } from '@quarterdeck/contract'
import { noSpace, shortened, withoutCredentials } from './installer-settings.ts'
import type { RunResult } from './runtime.ts'

const noRegistry = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|ENETUNREACH|EHOSTUNREACH/
/** True, and of no help by themselves. */
const generic =
  /^(code|errno|syscall|path|dest|type|command failed|signal|A complete log|Log files|for a full|Require stack|If you are behind|This is a problem related to network|In most cases|network$|network (In|If|This)|Clean install a project|Usage:|npm ci$|Options:|\[|aliases|Run "npm)/
const what = 'The installation of package.json'

export function npmFault(result: RunResult): RunFault {
  const output = `${result.stdout}\n${result.stderr}`
  if (noSpace.test(output)) return new RunFault('disk_full', `${what} filled the disk.`)
  if (result.code === null)
    return new RunFault('install_failed', `${what} was killed from outside, perhaps for want of memory.`)
  const told = sentence(output)
  return new RunFault('install_failed', told ?? `${what} ended with exit code ${result.code}.`)
}

function sentence(output: string): string | undefined {
  const all = output.split(/\r?\n|\r/).map(line => line.trim())
  const errors = all.flatMap(line => /^npm (?:error|ERR!) (.+)$/.exec(line)?.[1]?.trim() ?? [])
  const told =
    scriptIn(errors, ownWords(all)) ??
    outOfSync(errors) ??
    firstOf(errors) ??
    all.findLast(line => line !== '')
  if (!told) return undefined
  const reason = noRegistry.test(output) ? ': the package registry could not be reached' : ''
  const whole = withoutSecrets(shortened(told.replace(/[.:]$/, ''))) + reason
  return /package(-lock)?\.json/.test(whole) ? whole : `${whole} (package.json)`
}

/** An install script: of which package, which command, and its last words. */
function scriptIn(errors: readonly string[], own: string | undefined): string | undefined {
  const at = errors.findIndex(line => line.startsWith('command ') && line !== 'command failed')
  if (at < 0) return undefined
  const path = errors.find(line => line.startsWith('path '))?.slice('path '.length) ?? ''
  const name = /.*node_modules\/(.+)$/.exec(path)?.[1] ?? 'package.json'
  const command = errors[at]!.slice('command '.length).replace(/^sh -c /, '')
  const words = errors.slice(at + 1).filter(line => !generic.test(line) && !/^(at |Node\.js v)/.test(line))
  const last = words.findLast(line => /error/i.test(line)) ?? words.at(-1) ?? own
  return `${name}: its install script \`${command}\` failed${last ? `: ${last}` : ''}`
}

/** What the project's own scripts say comes as it is, before npm speaks of it. */
function ownWords(lines: readonly string[]): string | undefined {
  const first = lines.findIndex(line => /^npm (error|ERR!)/.test(line))
  return lines.slice(0, first).findLast(line => line !== '' && !/^(>|npm |at |Node\.js v)/.test(line))
}

/** npm tells in one long sentence, and names what is missing in the lines after it. */
function outOfSync(errors: readonly string[]): string | undefined {
  if (!errors.some(line => /can only install packages when your package\.json/.test(line))) return undefined
  const differences = errors.filter(line => /^(Missing|Invalid): /.test(line))
  const named = differences.length > 0 ? `: ${differences.slice(0, 3).join('; ')}` : ''
  return `package.json and the lock file are not in sync, run npm install and commit both${named}`
}

/** After `npm error code E404` come lines that begin with a short form of it. */
function firstOf(errors: readonly string[]): string | undefined {
  const telling = errors.map(line =>
    line.replace(/^(404|notarget|network|enoent|nospc|notsup|engine)\s+/i, ''),
  )
  return telling.find(line => !generic.test(line) && !/^(404|notarget|network|enoent)$/.test(line))
}

const withoutSecrets = (text: string) =>
  withoutCredentials(text).replaceAll(/(_auth|_authToken|_password)=\S+/g, '$1=…')
