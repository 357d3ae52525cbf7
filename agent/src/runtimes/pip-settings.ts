/** What reaches pip of the agent's own environment, and what of it decides which packages come out. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  networkVariables,
  only,
  searchPath,
  type Variables,
  withoutCredentials,
} from './installer-settings.ts'

/** Where packages come from. */
const index = [
  'PIP_NO_INDEX',
  'PIP_FIND_LINKS',
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'PIP_TRUSTED_HOST',
  'PIP_CERT',
]

/** The whole environment of a program that finds out something or installs. Nothing else of the agent's is in it. */
export function installerEnvironment(env: Variables, home: string): Record<string, string> {
  return {
    ...only(env, [...index, ...networkVariables]),
    PATH: searchPath(env),
    // The agent's own, not the home: pip looks for its configuration there.
    HOME: env.HOME ?? home,
    LANG: 'C.UTF-8',
    PYTHONNOUSERSITE: '1',
    PIP_CACHE_DIR: join(home, 'cache', 'pip'),
    UV_CACHE_DIR: join(home, 'cache', 'uv'),
    UV_NO_CONFIG: '1',
    UV_PYTHON_DOWNLOADS: 'never',
    // uv knows it by this name only.
    ...(env.PIP_CERT && !env.SSL_CERT_FILE ? { SSL_CERT_FILE: env.PIP_CERT } : {}),
  }
}

/** The files that pip reads with that environment. */
export function configurationFiles(env: Variables): string[] {
  const own = env.HOME ? [join(env.HOME, '.pip/pip.conf'), join(env.HOME, '.config/pip/pip.conf')] : []
  return ['/etc/xdg/pip/pip.conf', '/etc/pip.conf', ...own]
}

/** Those that are there, with what is in them. */
export async function readConfiguration(files: readonly string[]): Promise<[file: string, text: string][]> {
  const texts = await Promise.all(files.map(file => readFile(file, 'utf8').catch(() => null)))
  return files.flatMap((file, at): [string, string][] => {
    const text = texts[at]
    return typeof text === 'string' ? [[file, text]] : []
  })
}

/**
 * The settings as they count for the identity of an environment. Without names and passwords in addresses: a token that
 * is renewed changes no package.
 */
export function indexSettings(
  env: Variables,
  configuration: readonly [string, string][],
): [string, string][] {
  const settings = [...Object.entries(only(env, index)), ...configuration]
  return settings.map(([name, value]) => [name, withoutCredentials(value)])
}

/** The same settings in uv's words. */
export function uvArguments(env: Variables): string[] {
  const each = (flag: string, value: string | undefined) => words(value).flatMap(word => [flag, word])
  return [
    ...(isOn(env.PIP_NO_INDEX) ? ['--no-index'] : []),
    ...each('--find-links', env.PIP_FIND_LINKS),
    ...each('--index-url', env.PIP_INDEX_URL),
    ...each('--extra-index-url', env.PIP_EXTRA_INDEX_URL),
    ...each('--allow-insecure-host', env.PIP_TRUSTED_HOST),
  ]
}

export const words = (value: string | undefined): string[] => value?.split(/\s+/).filter(Boolean) ?? []

const isOn = (value: string | undefined) =>
  !!value && !['0', 'false', 'no', 'off', 'n', 'f'].includes(value.toLowerCase())
