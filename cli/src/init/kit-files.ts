/** The kit as a project vendors it, built from the source that lies beside this command line. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../root.ts'
import type { NewFile } from './new-files.ts'
import { must } from './program.ts'
import { type Runtime, runtimes } from './runtimes.ts'

/** Whatever the settings of this user, and if they have no home: the same files, and nothing asked of any registry. */
const npmSettings = (stage: string) => ({
  npm_config_userconfig: '/dev/null',
  npm_config_cache: join(stage, 'cache'),
  npm_config_offline: 'true',
})
const quiet = ['--loglevel=error', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier']

export async function kitFiles(
  runtime: Runtime,
  files: readonly NewFile[],
  signal?: AbortSignal,
): Promise<NewFile[]> {
  const stage = mkdtempSync(join(tmpdir(), 'qd-init-'))
  try {
    mkdirSync(join(stage, dirname(runtimes[runtime].kit)))
    return runtime === 'python' ? await wheel(stage, signal) : await tarball(stage, files, signal)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

async function wheel(stage: string, signal?: AbortSignal): Promise<NewFile[]> {
  const { kit } = runtimes.python
  await must('python3', ['-I', join(root, 'kit-python/build_wheel.py'), join(stage, dirname(kit))], {
    neededFor: 'the kit of a Python project is a wheel, which Python makes',
    signal,
  })
  return [{ path: kit, content: readFileSync(join(stage, kit)) }]
}

/** With the lock file, which holds the checksum of the tarball. */
async function tarball(stage: string, files: readonly NewFile[], signal?: AbortSignal): Promise<NewFile[]> {
  const { kit } = runtimes.node
  const built = join(stage, 'built')
  await must(process.execPath, [join(root, 'kit/build.ts'), built], { signal })
  const npm = (cwd: string, ...args: string[]) =>
    must('npm', [...args, ...quiet], {
      cwd,
      env: npmSettings(stage),
      neededFor: 'npm packs the kit of a Node project',
      signal,
    })
  await npm(built, 'pack', '--pack-destination', join(stage, dirname(kit)))
  writeFileSync(join(stage, 'package.json'), files.find(({ path }) => path === 'package.json')!.content)
  await npm(stage, 'install', '--package-lock-only')
  return [kit, 'package-lock.json'].map(path => ({ path, content: readFileSync(join(stage, path)) }))
}
