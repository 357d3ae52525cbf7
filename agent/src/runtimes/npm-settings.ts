/** What reaches npm of the agent's own environment, and what of npm's settings decides which packages come out. */
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
const registry = ['npm_config_registry', 'NPM_CONFIG_REGISTRY']

const network = [
  ...networkVariables,
  'NODE_EXTRA_CA_CERTS',
  'npm_config_cafile',
  'npm_config_proxy',
  'npm_config_https_proxy',
  'npm_config_noproxy',
]

/** Settings that say who asks, not what for: they are no part of what an environment is. */
const secret = /(^|:)(_auth|_authToken|_password|username|email|certfile|keyfile|_certfile|_keyfile)\s*=/i

/**
 * The whole environment of npm and of the install scripts that it runs. HOME is npm's cache, since scripts write there
 * and whoever runs them may write nothing else; no `.npmrc` is read from it, lest a script leave one for the next
 * project. An operator names one with `npm_config_userconfig`.
 */
export function npmEnvironment(env: Variables, home: string): Record<string, string> {
  const cache = join(home, 'cache', 'npm')
  return {
    npm_config_userconfig: '/dev/null',
    ...only(env, [...registry, ...network, 'npm_config_userconfig']),
    PATH: searchPath(env),
    HOME: cache,
    LANG: 'C.UTF-8',
    npm_config_cache: cache,
  }
}

/** The agent's settings as they count for the identity of an environment. */
export async function registrySettings(env: Readonly<Record<string, string>>): Promise<string[][]> {
  const text = await readFile(env.npm_config_userconfig ?? '/dev/null', 'utf8').catch(() => '')
  const variables = Object.entries(only(env, registry)).map(([name, value]) => [
    name,
    withoutCredentials(value),
  ])
  return [...variables, settingLines(text)]
}

/** Of an `.npmrc`: without comments and secrets. */
export function settingLines(text: string): string[] {
  const lines = text.split(/\r?\n/).map(line => line.trim())
  return lines
    .filter(line => line !== '' && !/^[#;]/.test(line) && !secret.test(line))
    .map(withoutCredentials)
}
