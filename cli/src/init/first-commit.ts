/** The repository of a new project: branch main, the hook for messages, the first commit. */
import { run } from './program.ts'
import type { RepositoryAround } from './repository-around.ts'
import { runtimes } from './runtimes.ts'
import type { Wish } from './wish.ts'

export type Begun = { state: 'begun'; commit: string } | { state: 'uncommitted'; reason: string }

export type GitOutcome = Begun | RepositoryAround

export const firstMessage = ({ name, runtime }: Pick<Wish, 'name' | 'runtime'>): string =>
  `feat: begin ${name} as a ${runtimes[runtime].title} service`

/** What git refuses is told, and leaves a project that is whole all the same. */
export async function beginRepository(
  directory: string,
  paths: readonly string[],
  wish: Wish,
): Promise<Begun> {
  const steps = [
    ['init', '--quiet', '--initial-branch=main'],
    ['config', 'core.hooksPath', '.githooks'],
    // Only what was made here, and that whatever this user’s own rules ignore.
    ['add', '--force', '--', ...paths],
    ['commit', '--quiet', '--message', firstMessage(wish)],
  ]
  for (const args of steps) {
    const { code, stderr } = await run('git', args, { cwd: directory })
    if (code !== 0) return { state: 'uncommitted', reason: reasonIn(stderr) }
  }
  const { stdout } = await run('git', ['rev-parse', 'HEAD'], { cwd: directory })
  return { state: 'begun', commit: stdout.trim() }
}

const reasonIn = (stderr: string): string =>
  /tell me who you are|empty ident|auto-detect email/i.test(stderr)
    ? 'git does not know your name and e-mail address'
    : (stderr.trim().split('\n')[0] ?? 'git said nothing')
