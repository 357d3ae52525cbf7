/**
 * How every git call is made: with no setting, hook, helper or prompt but ours. A repository brings its content, never a
 * program to run.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Identity } from '../identity.ts'
import type { Program } from '../runner.ts'
import { ownSsh } from './ssh.ts'

export type Env = Readonly<Record<string, string>>

/** What of the agent's own environment git needs to reach a remote. All else stays out. */
const passedOn = [
  'PATH',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]

const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.askPass=',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.pager=cat',
  'core.editor=false',
  'credential.helper=',
  'protocol.allow=never',
  'protocol.file.allow=always',
  'protocol.git.allow=always',
  'protocol.http.allow=always',
  'protocol.https.allow=always',
  'protocol.ssh.allow=always',
  'protocol.ext.allow=never',
  'http.lowSpeedLimit=100',
  'http.lowSpeedTime=30',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'fetch.showForcedUpdates=false',
  'merge.verifySignatures=false',
  'merge.autoStash=false',
  'log.showSignature=false',
  'advice.detachedHead=false',
]

/** One working copy, and what git is started with for it. */
export interface GitPlace {
  readonly work: string
  readonly env: Env
  /** Who owns the working copy; without one, the agent itself. */
  readonly identity?: Identity
}

/** `home` is the agent's own directory; `own` its environment, of which only the way to the network is passed on. */
export function gitEnvironment(home: string, own: Readonly<Record<string, string | undefined>>): Env {
  const passed = passedOn.flatMap(name => (own[name] ? [[name, own[name]] as const] : []))
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries(passed),
    HOME: home,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: fileURLToPath(new URL('git.config', import.meta.url)),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: ownSsh,
    GIT_SSH_VARIANT: 'ssh',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_EDITOR: 'false',
    GIT_PAGER: 'cat',
  }
}

/** Only whole ids get this far: they were looked up before. */
export function commit(sha: string): string {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)) throw new Error('not a whole commit id')
  return sha
}

/** Named outright, the repository is neither searched for in the directories above nor refused for its owner. */
export const inPlace = (git: GitPlace, args: readonly string[], more: readonly string[] = []): Program => ({
  file: 'git',
  args: [...always(more), ...args],
  cwd: git.work,
  env: { ...git.env, GIT_DIR: join(git.work, '.git'), GIT_WORK_TREE: git.work },
  ...(git.identity && { identity: git.identity }),
})

/** Takes no lock, so that it never stands in the way of a person's own git. */
export const reading = (git: GitPlace, args: readonly string[]): Program => {
  const program = inPlace(git, args)
  return { ...program, env: { ...program.env, GIT_OPTIONAL_LOCKS: '0' } }
}

export const always = (more: readonly string[] = []): string[] => [
  '--no-pager',
  '--literal-pathspecs',
  ...[...settings, ...more].flatMap(setting => ['-c', setting]),
]
