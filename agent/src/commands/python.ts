/** The programs behind the Python runtime, as data. They are never started here. */
import { join } from 'node:path'
import type { Program } from '../runner.ts'

type Env = Readonly<Record<string, string>>

/**
 * `-I` keeps the directory it starts in, the user's packages and PYTHON* variables out: a `pip.py` or `json.py` in a
 * release must not take the place of the real one.
 */
const isolated = '-I'

const question = `
import json, sys, sysconfig
print(json.dumps({
    'executable': sys.executable,
    'version': '.'.join(map(str, sys.version_info[:3])),
    'platform': sysconfig.get_platform(),
    'abi': sysconfig.get_config_var('SOABI') or sys.implementation.cache_tag,
}))`

/** Asks an interpreter who it is. From `/`, where no `.python-version` turns a shim's head. */
export const askInterpreter = (python: string, env: Env): Program => ({
  file: python,
  args: [isolated, '-c', question],
  cwd: '/',
  env,
})

export const askPipVersion = (python: string, env: Env): Program => ({
  file: python,
  args: [isolated, '-m', 'pip', '--version'],
  cwd: '/',
  env,
})

/** Without pip it takes a twentieth of a second instead of several. */
export const makeVenv = (python: string, directory: string, env: Env): Program => ({
  file: python,
  args: [isolated, '-m', 'venv', '--without-pip', directory],
  cwd: '/',
  env,
})

/** Puts the pip that every Python carries into the environment: the slow way, where no other pip is at hand. */
export const addPip = (directory: string, env: Env): Program => ({
  file: join(directory, 'bin', 'python'),
  args: [isolated, '-m', 'ensurepip', '--default-pip'],
  cwd: '/',
  env,
})

const install = [
  'install',
  '--no-input',
  '--disable-pip-version-check',
  '--no-warn-script-location',
  '-r',
  'requirements.txt',
]

/** Installs with the pip of `python`, which stays outside (pip 22.3 or newer). */
export const installFromOutside = (
  python: string,
  directory: string,
  release: string,
  env: Env,
): Program => ({
  file: python,
  args: [isolated, '-m', 'pip', '--python', join(directory, 'bin', 'python'), ...install],
  cwd: release,
  env,
})

export const installWithOwnPip = (directory: string, release: string, env: Env): Program => ({
  file: join(directory, 'bin', 'python'),
  args: [isolated, '-m', 'pip', ...install],
  cwd: release,
  env,
})

export const makeVenvWithUv = (uv: string, python: string, directory: string, env: Env): Program => ({
  file: uv,
  args: ['venv', '--python', python, directory],
  cwd: '/',
  env,
})

/** uv knows no PIP_* variables: `index` holds them as arguments. Programs write no bytecode, so it is made here. */
export const installWithUv = (
  uv: string,
  directory: string,
  release: string,
  index: readonly string[],
  env: Env,
): Program => ({
  file: uv,
  args: [
    'pip',
    'install',
    '--python',
    join(directory, 'bin', 'python'),
    '--compile-bytecode',
    ...index,
    '-r',
    'requirements.txt',
  ],
  cwd: release,
  env,
})

/** Brings what was written to the disk, so that a marker never outlives what it stands for when the power fails. */
export const settle = (directory: string, env: Env): Program => ({
  file: 'sync',
  args: ['-f', directory],
  cwd: '/',
  env,
})
