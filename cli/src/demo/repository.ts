/**
 * The repository of a sample, as `qd init` begins one: a bare one to push to, and a clone to play in. Each is made
 * beside its place and renamed, so that it is there whole or not at all.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '@quarterdeck/contract'
import { beginRepository } from '../init/first-commit.ts'
import { writeNew } from '../init/new-files.ts'
import { run } from '../init/program.ts'
import { projectFiles, projectPaths } from '../init/project-files.ts'
import { cloneOf, demoHome, remoteOf, type Sample } from './samples.ts'

const identity = { 'user.name': 'Quarterdeck', 'user.email': 'demo@quarterdeck.invalid' }

/** Whatever this user’s own settings: nobody is there to enter a passphrase, and the printed command is to work. */
const settings = { 'commit.gpgSign': 'false', 'push.gpgSign': 'false', 'push.default': 'simple' }

export async function makeRepository(home: string, sample: Sample, signal: AbortSignal): Promise<void> {
  const git = gitUntil(signal)
  const [remote, clone] = [remoteOf(home, sample), cloneOf(home, sample)]
  const stage = join(demoHome(home), `.${sample.name}.unfinished`)
  // Programs of one that was killed may still be writing there.
  rmSync(stage, { recursive: true, force: true, maxRetries: 10 })
  mkdirSync(stage)
  try {
    if (!existsSync(remote)) {
      await makeRemote(stage, remote, sample, signal)
      renameSync(join(stage, 'remote'), remote)
    }
    if (!existsSync(clone)) {
      const made = join(stage, 'clone')
      await git('clone', '--quiet', '--origin', 'origin', '--', remote, made)
      const author = (await knowsAuthor(made, signal)) ? {} : identity
      await configure(made, git, { ...settings, ...author, 'core.hooksPath': '.githooks' })
      renameSync(made, clone)
    }
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** The newest commit of main. */
export async function headOf(home: string, sample: Sample, signal: AbortSignal): Promise<string> {
  const head = await gitUntil(signal)('--git-dir', remoteOf(home, sample), 'rev-parse', 'refs/heads/main')
  return head.trim()
}

type Git = (...args: string[]) => Promise<string>

const gitUntil =
  (signal: AbortSignal): Git =>
  async (...args) => {
    const { code, stdout, stderr } = await run('git', args, { signal })
    signal.throwIfAborted()
    if (code === 0) return stdout
    throw new Fault('program_missing', `git failed: ${stderr.trim().split('\n').at(-1) || 'it said nothing'}`)
  }

async function makeRemote(stage: string, remote: string, sample: Sample, signal: AbortSignal): Promise<void> {
  const git = gitUntil(signal)
  const [begun, made] = [join(stage, 'begun'), join(stage, 'remote')]
  await begin(begun, sample, git, signal)
  await git('clone', '--quiet', '--bare', '--origin', 'origin', '--', begun, made)
  await git('--git-dir', made, 'remote', 'remove', 'origin')
  // Else a setting of this user’s could put other hooks in the place of ours.
  await configure(made, git, { 'core.hooksPath': join(remote, 'hooks') })
}

async function begin(directory: string, sample: Sample, git: Git, signal: AbortSignal): Promise<void> {
  const { runtime, name, repository } = sample
  const wish = { runtime, name, repository, forge: 'git.example.com' }
  const files = await projectFiles(wish, signal)
  signal.throwIfAborted()
  writeNew(directory, files)
  await git('init', '--quiet', '--initial-branch=main', '--', directory)
  await configure(directory, git, { ...settings, ...identity })
  const begun = await beginRepository(directory, projectPaths(runtime), wish)
  if (begun.state === 'uncommitted') throw new Fault('program_missing', `git failed: ${begun.reason}`)
}

async function configure(directory: string, git: Git, values: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await git('-C', directory, 'config', key, value)
}

/** Whoever plays in the clone commits under their own name, if git knows it. */
async function knowsAuthor(directory: string, signal: AbortSignal): Promise<boolean> {
  const keys = ['user.name', 'user.email']
  const found = await Promise.all(
    keys.map(key => run('git', ['-C', directory, 'config', '--get', key], { signal })),
  )
  return found.every(({ code }) => code === 0)
}
