/** Which environment a command means, and the token for it. Looked up for each call: a restart may move the port. */
import { operatorTokenFile, readToken, runningOn } from '@quarterdeck/control/client'
import { GuidedFault } from './fail.ts'
import { defaultHome } from './options.ts'

export interface WhereOptions {
  home?: string
  url?: string
  /** On a home, instead of the operator’s. */
  tokenFile?: string
}

export interface Where {
  /** Of the admin host. */
  origin: string
  /** Past any name server. */
  address?: string
  token: string
}

export function where(options: WhereOptions): Where {
  // A home that was named on the command line means more than a setting of the session.
  const url = options.url ?? (options.home ? undefined : process.env.QUARTERDECK_URL || undefined)
  return url ? elsewhere(url) : onHome(options.home ?? defaultHome(), options.tokenFile)
}

function onHome(home: string, file = operatorTokenFile(home)): Where {
  const running = runningOn(home)
  if (!running) {
    throw new GuidedFault(
      'control_unreachable',
      `Nothing runs on the home ${home}, or this user may not read it.`,
      'Start it with `qd up`, name its home with --home, or one elsewhere with --url.',
    )
  }
  const token = readToken(file)
  if (!token) {
    throw new GuidedFault(
      'unauthenticated',
      `The token in ${file} cannot be read.`,
      'Run qd as the user that owns the home, or use --url with QUARTERDECK_TOKEN.',
    )
  }
  const { domain, port, address } = running
  return { origin: `http://admin.${domain}:${port}`, address, token }
}

function elsewhere(text: string): Where {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new GuidedFault(
      'config_invalid',
      `${text} is not the address of an admin host.`,
      'Give it as https://admin.example.com, with --url or QUARTERDECK_URL.',
    )
  }
  if (url.protocol === 'http:' && !isThisMachine(url.hostname)) {
    throw new GuidedFault(
      'tls_required',
      `A token is not sent to ${url.origin}: the connection would not be encrypted.`,
      'Use https.',
    )
  }
  const token = process.env.QUARTERDECK_TOKEN
  if (!token) {
    throw new GuidedFault(
      'unauthenticated',
      `There is no token for ${url.origin}: QUARTERDECK_TOKEN is not set.`,
      'Make one on the control machine with `qd token create --operator --label NAME`.',
    )
  }
  return { origin: url.origin, token }
}

const isThisMachine = (host: string) =>
  /(^|\.)localhost$/.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]'
