/** The other end of a `git_url`, as far as its keys and tokens depend on it. */

export interface SshRemote {
  readonly kind: 'ssh'
  /** In lower case, without brackets. */
  readonly host: string
  readonly port: number
}

export interface HttpRemote {
  readonly kind: 'https'
  /** Scheme, host and port, with a slash at the end. */
  readonly url: string
  /** What is sent there cannot be read on the way: by TLS, or because it does not leave the machine. */
  readonly isSafe: boolean
}

export type Remote = SshRemote | HttpRemote

const sshPort = 22
const sshUrl = /^ssh:\/\/(?:[^@/]*@)?(?:\[([\da-f:]+)\]|(\w[\w.-]*))(?::(\d{1,5}))?(?:\/|$)/i
const sshShort = /^\w[\w.-]*@(\w[\w.-]*):/
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Null: neither, such as a path or `git://`, which know no credentials. */
export function remoteOf(gitUrl: string): Remote | null {
  return sshRemote(gitUrl) ?? httpRemote(gitUrl)
}

function sshRemote(gitUrl: string): SshRemote | null {
  const [, six, name = sshShort.exec(gitUrl)?.[1], port] = sshUrl.exec(gitUrl) ?? []
  const host = (six ?? name)?.toLowerCase()
  return host === undefined ? null : { kind: 'ssh', host, port: port ? Number(port) : sshPort }
}

function httpRemote(gitUrl: string): HttpRemote | null {
  if (!/^https?:\/\//i.test(gitUrl) || !URL.canParse(gitUrl)) return null
  const { protocol, host, hostname } = new URL(gitUrl)
  return {
    kind: 'https',
    url: `${protocol}//${host}/`,
    isSafe: protocol === 'https:' || loopback.test(hostname),
  }
}

/** A host as ssh names it in its lists of known hosts. */
export const knownHostName = ({ host, port }: Pick<SshRemote, 'host' | 'port'>): string =>
  port === sshPort ? host : `[${host}]:${port}`
