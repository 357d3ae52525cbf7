/**
 * What a repository holds, as far as a guess needs it. Nothing of it is checked out: files are read from git's objects, so
 * that neither links, hooks, filters nor names of it have any effect here. Bounded in time and in size.
 */
import { isUtf8 } from 'node:buffer'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { interrupted } from '../../fail.ts'

const limits = { cloneMs: 60_000, callMs: 10_000, bytes: 200 * 1024 * 1024, fileBytes: 256 * 1024 }
const lookMs = 250
const tooLarge = 'it is too large to be looked at'

export interface RepositoryContent {
  /** That HEAD of the remote names, or the one that was asked for. */
  branch: string
  /** Names at its top, directories with a slash. */
  top: readonly string[]
  /** Texts of the files that were asked for and are there. */
  files: ReadonlyMap<string, string>
}

/** A sentence's end: why it cannot be read from here. */
export class Unreadable extends Error {}

const settings = [
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.askPass=', 'init.templateDir='],
  ...['protocol.allow=never', 'protocol.file.allow=always', 'protocol.git.allow=always'],
  ...['protocol.http.allow=always', 'protocol.https.allow=always', 'protocol.ssh.allow=always'],
  ...['http.lowSpeedLimit=100', 'http.lowSpeedTime=30', 'gc.auto=0', 'maintenance.auto=false'],
  ...['fetch.recurseSubmodules=false', 'submodule.recurse=false'],
]

/** Throws `Unreadable`. `paths` are the files to read. */
export async function contentOf(
  gitUrl: string,
  paths: readonly string[],
  { branch, ...bounds }: { branch?: string | undefined } & Partial<typeof limits> = {},
): Promise<RepositoryContent> {
  const within = { ...limits, ...bounds }
  const home = mkdtempSync(join(tmpdir(), 'quarterdeck-look-'))
  const directory = join(home, 'repository')
  const remove = () => rmSync(home, { recursive: true, force: true, maxRetries: 3 })
  const breakOff = () => {
    remove()
    process.exit(interrupted)
  }
  process.once('SIGINT', breakOff)
  try {
    const chosen = branch === undefined ? [] : ['--branch', branch]
    const args = ['clone', '--quiet', '--bare', '--depth', '1', '--no-tags', '--single-branch', '--no-local']
    await git([...args, '--template=', ...chosen, '--', gitUrl, directory], {
      ms: within.cloneMs,
      isTooLarge: () => sizeOf(directory) > within.bytes,
    })
    const here = (...more: string[]) => git(['--git-dir', directory, ...more], { ms: within.callMs })
    const head = (await here('symbolic-ref', '--short', 'HEAD')).toString().trim()
    const isEmpty = await here('rev-parse', '--verify', '--quiet', 'HEAD').then(
      () => false,
      () => true,
    )
    if (isEmpty) return { branch: head, top: [], files: new Map() }
    const top = entriesOf(await here('ls-tree', '-z', 'HEAD')).map(({ type, path }) =>
      type === 'tree' ? `${path}/` : path,
    )
    const files = new Map<string, string>()
    for (const { mode, type, path, id } of entriesOf(await here('ls-tree', '-z', 'HEAD', '--', ...paths))) {
      // A link's content is a path, which would be taken for a text.
      if (type !== 'blob' || mode === '120000') continue
      if (Number((await here('cat-file', '-s', id)).toString()) > within.fileBytes) continue
      const text = await here('cat-file', 'blob', id)
      if (isUtf8(text) && !text.includes(0)) files.set(path, text.toString())
    }
    return { branch: head, top, files }
  } finally {
    process.off('SIGINT', breakOff)
    remove()
  }
}

interface Entry {
  mode: string
  type: string
  id: string
  path: string
}

const entriesOf = (listed: Buffer): Entry[] =>
  listed
    .toString()
    .split('\0')
    .filter(Boolean)
    .map(line => {
      const [, mode = '', type = '', id = '', path = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
      return { mode, type, id, path }
    })

interface Bounds {
  ms: number
  isTooLarge?: () => boolean
}

/** This user's own settings count, so that what they may read is read; nobody is asked for anything. */
async function git(args: readonly string[], { ms, isTooLarge = () => false }: Bounds): Promise<Buffer> {
  const child = spawn('git', [...settings.flatMap(setting => ['-c', setting]), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...withoutGit(process.env),
      LC_ALL: 'C.UTF-8',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '/bin/false',
      SSH_ASKPASS: '/bin/false',
      GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=10',
      GIT_SSH_VARIANT: 'ssh',
    },
  })
  let stopped: string | undefined
  const stop = (why: string) => {
    // Asked first: git then ends what it has started itself, such as ssh.
    child.kill(stopped === undefined ? 'SIGTERM' : 'SIGKILL')
    stopped ??= why
  }
  const began = Date.now()
  const watch = setInterval(() => {
    if (Date.now() - began > ms) stop(`nothing whole came within ${ms / 1000} s`)
    else if (isTooLarge()) stop(tooLarge)
  }, lookMs)
  try {
    const [out, said, code] = await Promise.all([bytesOf(child.stdout), bytesOf(child.stderr), endOf(child)])
    // What came faster than it was looked at.
    if (stopped === undefined && code === 0 && isTooLarge()) stopped = tooLarge
    if (stopped) throw new Unreadable(stopped)
    if (code !== 0) throw new Unreadable(lastLine(said.toString()))
    return out
  } finally {
    clearInterval(watch)
  }
}

function endOf(child: ChildProcess): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', error => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    reject(new Unreadable(isMissing ? 'git is not installed here' : error.message))
  })
  child.once('close', resolve)
  return promise
}

const mostOutput = 4 * 1024 * 1024

/** What comes after the limit is read and dropped. */
async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    if (bytes <= mostOutput) pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const lastLine = (text: string): string =>
  text
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^fatal: /, '')
    .replace(/\.$/, '') || 'git gave no reason'

function sizeOf(directory: string): number {
  try {
    return readdirSync(directory, { recursive: true }).reduce(
      (sum, path) => sum + (statSync(join(directory, String(path)), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  } catch {
    // Not there yet, or a file that was there is not any more.
    return 0
  }
}

/** Where a hook of another repository runs us, these name that one. */
const withoutGit = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_(?!CONFIG_|SSL_)/.test(name)))
