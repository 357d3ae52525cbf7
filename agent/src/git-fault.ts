/** What git said, as a reason that a run knows. git runs with LC_ALL=C, so its words are always these. */
import { maskSecrets, type RunErrorCode, RunFault } from '@quarterdeck/contract'
import type { Program } from './runner.ts'

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  readonly cancelled: boolean
}

/** Starts a program and waits for its end. The caller has bound the step's time limit and its cancelling to it. */
export type Run = (program: Program) => Promise<Finished>

/** In this order: the disk and the working copy's own troubles also end in words about the remote. */
const reasons: readonly (readonly [RunErrorCode, RegExp])[] = [
  ['disk_full', /no space left on device|disk quota exceeded|file ?system full/i],
  ['branch_missing', /couldn't find remote ref|remote branch .* not found in upstream/i],
  [
    'working_copy_broken',
    /not a git repository: '|bad object|object file .* is empty|loose object .* is corrupt|unable to read tree|index file (corrupt|smaller)|bad (index file|signature)|bad config|invalid sha1 pointer|cannot lock ref|unable to create '.*\.lock'|insufficient permission for adding an object/i,
  ],
  ['host_key_changed', /remote host identification has changed|host key for .* has changed/i],
  ['host_unknown', /no \S+ host key is known for/i],
  ['remote_moved', /returned error: 30\d\b/i],
  [
    'remote_denied',
    /could not read (username|password)|terminal prompts disabled|authentication failed|returned error: 40[134]\b|repository\b.* (not found|does not exist)|not appear to be a git repository|could not be found|permission denied \(|denied to |access denied|dubious ownership|repository not exported|no matching host key|host key verification failed|transport '.*' not allowed/i,
  ],
]

const noise =
  /^(hint:|warning:|Aborting|Please |and the repository exists|fatal: Could not read from remote|error: unable to read askpass|$)/

/** Runs it; anything but a good end is thrown as the reason that git's words give, or else as `otherwise`. */
export async function runGit(run: Run, program: Program, otherwise: RunErrorCode): Promise<string> {
  const finished = await run(program)
  if (finished.code === 0) return finished.stdout
  throw gitFault(finished, otherwise)
}

export function gitFault(finished: Finished, otherwise: RunErrorCode): Error {
  if (finished.cancelled) return new DOMException('The run was cancelled.', 'AbortError')
  if (finished.timedOut) return new RunFault('step_timeout', 'git did not end within the step’s time limit.')
  const inTheWay = filesInTheWay(finished.stderr)
  if (inTheWay.length > 0) {
    const names = listed(inTheWay.map(shown))
    return new RunFault('working_copy_dirty', `Files in the working copy are in the way: ${names}.`)
  }
  const code = reasons.find(([, words]) => words.test(finished.stderr))?.[0] ?? otherwise
  if (code === 'host_key_changed' || code === 'host_unknown') return hostFault(code, finished.stderr)
  return new RunFault(code, `${sentences[code] ?? 'git failed'}: ${tellingLine(finished)}`)
}

/** ssh explains it to a person at a terminal. */
function hostFault(code: 'host_key_changed' | 'host_unknown', stderr: string): RunFault {
  const host = shown(/host key (?:is known )?for (\S+)/i.exec(stderr)?.[1] ?? 'the remote')
  const sentence =
    code === 'host_unknown'
      ? `The keys of the ssh host ${host} are not pinned, so nothing was sent to it. Look at them and pin them: qd project access PROJECT --pin.`
      : `The ssh host ${host} shows another key than the one it is known by, so nothing was sent to it. If it has a new one, pin it: qd project access PROJECT --pin.`
  return new RunFault(code, sentence)
}

const sentences: Partial<Record<RunErrorCode, string>> = {
  disk_full: 'The disk is full',
  branch_missing: 'The remote does not have the branch',
  working_copy_broken: 'git cannot work with the working copy',
  remote_denied: 'The remote does not let us read the repository',
  remote_moved: 'The remote sends us elsewhere, where its token must not go',
  remote_unreachable: 'The remote could not be fetched from',
  release_failed: 'The files of the commit could not be laid out',
}

/** Up to `most` of them, and how many more there are. */
export function listed(names: readonly string[], most = 5): string {
  const more = names.length - most
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** A file's name for people: one with a line break or a quote in it cannot pass for anything else. */
export function shown(name: string): string {
  return /[\p{Cc}"\\]/u.test(name) ? JSON.stringify(name) : name
}

/** git lists them with a tab in front, under a line that says why; before a first checkout it names a single one. */
function filesInTheWay(stderr: string): string[] {
  const single = /Untracked working tree file '(.+)' would be overwritten/s.exec(stderr)?.[1]
  if (single !== undefined) return [single]
  if (!/would be (overwritten|removed) by|would lose untracked files/.test(stderr)) return []
  return [...stderr.matchAll(/^\t(.+)$/gm)].map(([, name]) => name!)
}

/** The last line that tells something, without what only explains or advises. */
function tellingLine({ stderr, code }: Finished): string {
  const lines = stderr.split('\n').map(line => line.trim())
  const line = lines.findLast(line => !noise.test(line)) ?? lines.findLast(line => line !== '')
  return maskSecrets(line?.slice(0, 500) ?? `git ended with exit ${code}`)
}
