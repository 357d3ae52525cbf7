/** What installers of all languages share: what reaches them of the agent's environment, and how they are quoted. */

export type Variables = Readonly<Record<string, string | undefined>>

/** How package indexes are reached: no part of what an environment is. */
export const networkVariables = [
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
] as const

export const noSpace = /No space left on device|\[Errno 28\]|ENOSPC|os error 28|Disk quota exceeded|EDQUOT/i

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const maxLength = 300

export const searchPath = (env: Variables): string => env.PATH || defaultPath

/** Those of the named variables that are set. */
export function only(env: Variables, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap(name => (env[name] ? [[name, env[name]]] : [])))
}

/** Of addresses: a token that is renewed changes no package, and belongs into no message. */
export const withoutCredentials = (text: string): string => text.replaceAll(/\/\/[^/@\s]+@/g, '//')

export const shortened = (text: string): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)} …` : text
