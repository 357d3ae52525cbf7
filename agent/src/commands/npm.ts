/** The programs behind the Node runtime, as data. They are never started here. */
import type { Program } from '../runner.ts'

type Env = Readonly<Record<string, string>>

const question = `
process.stdout.write(JSON.stringify({
  executable: process.execPath,
  version: process.versions.node,
  platform: process.platform + '-' + process.arch,
  abi: process.versions.modules,
}))`

/** Asks an interpreter who it is. From `/`, where no `.node-version` turns a shim's head. */
export const askNode = (node: string, env: Env): Program => ({
  file: node,
  args: ['-e', question],
  cwd: '/',
  env,
})

/** npm as it is started: by the project's interpreter where that is possible, so that modules are built for it. */
export interface Npm {
  readonly file: string
  readonly args: readonly string[]
}

const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress']

/** Exactly what the lock file says; it fails if `package.json` says something else. */
export const installByLock = (npm: Npm, directory: string, env: Env): Program =>
  npmProgram(npm, ['ci', '--omit=dev', ...quiet], directory, env)

/** The newest that `package.json` allows. */
export const installNewest = (npm: Npm, directory: string, env: Env): Program =>
  npmProgram(npm, ['install', '--omit=dev', '--no-package-lock', ...quiet], directory, env)

const npmProgram = (npm: Npm, args: readonly string[], directory: string, env: Env): Program => ({
  file: npm.file,
  args: [...npm.args, ...args],
  cwd: directory,
  env,
})
