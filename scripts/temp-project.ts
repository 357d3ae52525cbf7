/**
 * For tests: a small checkout in a temporary folder with the real scripts, a command line and an npm that
 * records its calls. What runs there are real processes.
 */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { inProject } from './project.mjs'

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A folder that is gone after the test, with the given files in it. */
export function tempFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-scripts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFiles(folder, files)
  return folder
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** A checkout with one workspace, whose npm is `npm.mjs` and appends its arguments to `npm-calls`. */
export function tempProject(files: Record<string, string> = {}) {
  const folder = tempFolder({
    'package.json': '{ "type": "module", "workspaces": ["cli"] }',
    'package-lock.json': '{ "lockfileVersion": 3 }',
    'cli/package.json': '{ "type": "module" }',
    'cli/src/main.ts': 'process.stdout.write(JSON.stringify(process.argv.slice(2)))',
    'npm.mjs': recordCall(''),
    ...files,
  })
  cpSync(inProject('scripts'), join(folder, 'scripts'), {
    recursive: true,
    filter: name => !name.includes('.test.'),
  })
  return {
    folder,
    write: (changed: Record<string, string>) => writeFiles(folder, changed),
    npmCalls: () => {
      const file = join(folder, 'npm-calls')
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    },
    startScript: (file: string, ...args: string[]) => startNode(folder, [join(folder, file), ...args]),
    start: (...args: string[]) => startNode(folder, ['scripts/run.mjs', ...args]),
    run: (...args: string[]) => startNode(folder, ['scripts/run.mjs', ...args]).ended,
  }
}

/** The text of a fake npm that notes its call and then does what `then` says. */
export function recordCall(then: string): string {
  return [
    "import { appendFileSync } from 'node:fs'",
    "appendFileSync(new URL('npm-calls', import.meta.url), process.argv.slice(2).join(' ') + '\\n')",
    then,
  ].join('\n')
}

function startNode(folder: string, args: string[]) {
  const { PATH = '' } = process.env
  const env = { PATH, npm_execpath: join(folder, 'npm.mjs') }
  // In a session of its own: signals of the terminal that the tests run in are for that terminal's processes only.
  const child = spawn(process.execPath, args, { cwd: folder, env, detached: true })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', data => {
    output.stdout += data
  })
  child.stderr.on('data', data => {
    output.stderr += data
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, ...output }))
  })
  return { child, ended, output }
}
