/** Checks that every commit reachable from HEAD, merges aside, follows the rule for messages. */
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { commitMessageProblem } from './commit-message.mjs'
import { root } from './project.mjs'

export interface CommitReport {
  problems: string[]
  /** One sentence for the user: what was checked, or why nothing was. */
  remark: string
}

/** Judges the history of the checkout at `folder`. Where there is no whole history, the report says so and has no problems. */
export function checkCommits(folder: string): CommitReport {
  const unchecked = whyUnchecked(folder)
  if (unchecked) return { problems: [], remark: `Not checked: ${unchecked}.` }

  const commits = git(folder, ['log', '-z', '--no-merges', '--format=%h%n%B'])
    .output.split('\0')
    .filter(Boolean)
  const problems = commits.flatMap(commit => {
    const [hash = '', ...lines] = commit.split('\n')
    const problem = commitMessageProblem(lines.join('\n'))
    return problem ? [`${hash} "${lines[0]}": ${problem}`] : []
  })
  const remark =
    problems.length === 0
      ? `Commits: ${commits.length}`
      : 'Reword them with "git rebase --interactive", before they are pushed.'
  return { problems, remark }
}

function whyUnchecked(folder: string): string | null {
  const top = git(folder, ['rev-parse', '--show-toplevel'])
  if (!top.ok)
    return top.output.includes('not a git repository') ? 'this is no Git checkout' : top.output.trim()
  if (realpathSync(top.output.trim()) !== realpathSync(folder)) return 'this is no Git checkout of its own'
  if (!git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD']).ok) return 'there are no commits yet'
  const shallow = git(folder, ['rev-parse', '--is-shallow-repository']).output.trim() === 'true'
  return shallow ? 'this is a shallow clone; "git fetch --unshallow" brings the whole history' : null
}

function git(cwd: string, args: string[]): { ok: boolean; output: string } {
  const { error, status, stdout, stderr } = spawnSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 2 ** 30,
  })
  if (error) return { ok: false, output: `git could not be started (${error.message})` }
  return { ok: status === 0, output: status === 0 ? stdout : stderr }
}

if (import.meta.main) {
  const { problems, remark } = checkCommits(root)
  process.stdout.write([...problems, remark, ''].join('\n'))
  process.exitCode = problems.length === 0 ? 0 : 1
}
