/** A remote with commits and a working copy of it, for tests, in a directory that the test gives. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '@quarterdeck/kit'
import { gitEnvironment } from './commands/git-call.ts'
import type { Run } from './git-fault.ts'
import { type Layout, layoutOf } from './layout.ts'
import { Releases } from './releases.ts'
import { type Program, run } from './runner.ts'
import { WorkCopy } from './work-copy.ts'

const someone = { name: 'Someone', email: 'someone@example.com' }

/** Runs git as a person would, with nobody's settings. */
export function git(cwd: string, args: readonly string[], input?: string): string {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: someone.name,
    GIT_AUTHOR_EMAIL: someone.email,
    GIT_COMMITTER_NAME: someone.name,
    GIT_COMMITTER_EMAIL: someone.email,
  }
  return execFileSync('git', args, { cwd, env, input, encoding: 'utf8', stdio: 'pipe' }).trim()
}

export interface RemoteUnderTest {
  readonly directory: string
  git(...args: string[]): string
  /** Writes the files, commits all there is, and returns the commit. */
  commit(files?: Record<string, string>, message?: string): string
}

export function remoteIn(parent: string, name = 'remote'): RemoteUnderTest {
  const directory = join(parent, name)
  mkdirSync(directory)
  git(directory, ['init', '--quiet', '--initial-branch=main'])
  let number = 0
  return {
    directory,
    git: (...args) => git(directory, args),
    commit(files = {}, message = `Commit ${++number}`) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(directory, path)), { recursive: true })
        writeFileSync(join(directory, path), text)
      }
      git(directory, ['add', '--all'])
      git(directory, ['commit', '--quiet', '--allow-empty', '-m', message])
      return git(directory, ['rev-parse', 'HEAD'])
    },
  }
}

export interface ProjectUnderTest {
  readonly layout: Layout
  readonly workCopy: WorkCopy
  readonly releases: Releases
  readonly run: Run
  /** Every program that was started, in order. */
  readonly started: Program[]
  /** git in the working copy, as a person would use it there. */
  inWork(...args: string[]): string
}

/** As the agent has it. A second one on the same directory is what the next run, or a restarted agent, sees. */
export function projectIn(
  home: string,
  git_url: string,
  { branch = 'main', timeoutMs = 60_000, clock = systemClock } = {},
): ProjectUnderTest {
  const layout = layoutOf(home, 'hello')
  const started: Program[] = []
  const runOne: Run = async program => {
    started.push(program)
    return await run(program, { signal: new AbortController().signal, timeoutMs, tag: 'test' })
  }
  const place = { work: layout.work, env: gitEnvironment(home, process.env) }
  return {
    layout,
    started,
    run: runOne,
    workCopy: new WorkCopy({ layout, clock, run: runOne, git: place, source: { git_url, branch } }),
    releases: new Releases({ layout, clock, git: place }),
    inWork: (...args) => git(layout.work, args),
  }
}

/** Two commits whose ids begin with the same seven digits: among 2^28 a pair turns up after some 20,000. */
export function twoCommitsAlike(directory: string): [string, string] {
  const tree = git(directory, ['write-tree'])
  const seen = new Map<string, string>()
  for (let number = 0; ; number++) {
    const who = `${someone.name} <${someone.email}> ${1_700_000_000 + number} +0000`
    const text = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nAlike\n`
    const id = createHash('sha1').update(`commit ${text.length}\0${text}`).digest('hex')
    const other = seen.get(id.slice(0, 7))
    const write = (content: string) =>
      git(directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], content)
    if (other !== undefined) return [write(other), write(text)]
    seen.set(id.slice(0, 7), text)
  }
}
