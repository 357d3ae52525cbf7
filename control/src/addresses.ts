/** How the hosts are called from outside. */
import type { Config } from './config.ts'

export interface Addresses {
  /** Of a host of the environment, such as `docs`, or of the front page. */
  url(host?: string): string
}

export function addresses(config: Config, listeningPort = config.listen.port): Addresses {
  const local = config.domain === 'localhost'
  const scheme = config.public.scheme ?? (local ? 'http' : 'https')
  const usual = scheme === 'https' ? 443 : 80
  const port = config.public.port ?? (local ? listeningPort : usual)
  const suffix = port === usual ? '' : `:${port}`
  return { url: host => `${scheme}://${host ? `${host}.` : ''}${config.domain}${suffix}` }
}
