/**
 * Which commit this process runs: the file REVISION at the root of its code, else the checkout it runs from, else
 * QUARTERDECK_SHA, else `unknown`. Git's own files are read, so that no git program is needed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'

const isCommit = (text: string | undefined) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text ?? '')

/** `directory` is where the code lies: REVISION and .git are looked for there and above. */
export function buildSha(directory: string, env: NodeJS.ProcessEnv = process.env): string {
  return recordedSha(directory) ?? (env.QUARTERDECK_SHA?.trim() || 'unknown')
}

function recordedSha(directory: string): string | undefined {
  for (const place of upwards(resolve(directory))) {
    const revision = read(join(place, 'REVISION'))
    if (revision) return revision
    // The nearest checkout decides, even one without a commit: one further up is another project's.
    const dotGit = join(place, '.git')
    if (existsSync(dotGit)) return checkoutSha(dotGit)
  }
}

function* upwards(directory: string): Generator<string> {
  yield directory
  const parent = dirname(directory)
  if (parent !== directory) yield* upwards(parent)
}

function checkoutSha(dotGit: string): string | undefined {
  // In a worktree or submodule .git is a file that names the real directory.
  const pointer = read(dotGit)?.match(/^gitdir: (.+)$/)?.[1]
  const gitDirectory = pointer ? resolveFrom(dirname(dotGit), pointer) : dotGit
  const head = read(join(gitDirectory, 'HEAD'))
  if (isCommit(head)) return head
  const ref = head?.match(/^ref: (refs\/.+)$/)?.[1]
  if (!ref) return undefined
  const common = resolveFrom(gitDirectory, read(join(gitDirectory, 'commondir')) ?? '.')
  return [read(join(gitDirectory, ref)), read(join(common, ref)), packedSha(common, ref)].find(isCommit)
}

const packedSha = (directory: string, ref: string): string | undefined =>
  read(join(directory, 'packed-refs'))
    ?.split('\n')
    .find(line => line.endsWith(` ${ref}`))
    ?.split(' ')[0]

const resolveFrom = (base: string, path: string) => (isAbsolute(path) ? path : join(base, path))

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
