/** What goes wrong with a look, in words for everybody: no inner address is in them. What is our own fault is no reason at all. */
import { closeSync, openSync } from 'node:fs'
import type { ReasonCode } from '@quarterdeck/contract'
import { BadAnswer } from './answer-head.ts'

export interface Failure {
  readonly code: ReasonCode
  readonly message: string
}

/** The server took longer than it may. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Nothing was seen, through no fault of the server: neither good nor bad is known of it. */
export class NoLook extends Error {
  override readonly name = 'NoLook'
}

/** Throws `NoLook` where the server has nothing to do with it. */
export function failureOf(error: unknown): Failure {
  const { code = '', message, syscall = '' } = firstOf(error as NodeJS.ErrnoException)
  if (code in ownFaults) throw new NoLook(ownFaults[code]!, { cause: error })
  if (error instanceof TimedOut || timeoutCodes.has(code))
    return timedOut(error instanceof TimedOut ? message : 'it takes no connection')
  if (error instanceof BadAnswer) return { code: 'body', message }
  if (dnsCodes.has(code) || /^(query|getaddrinfo)/.test(syscall)) return notFound(error)
  if (isTls(code))
    return { code: 'tls', message: tlsMessages[code] ?? `Its certificate is not accepted (${code}).` }
  return { code: 'connect', message: connectMessages[code] ?? 'It closes the connection without an answer.' }
}

/** Nobody has told its address in time. */
export const notLookedUp = (): Error =>
  Object.assign(new Error('It is not looked up.'), { code: 'EAI_AGAIN' })

const timedOut = (how: string): Failure => ({ code: 'timeout', message: `Within the time limit ${how}.` })

/** Where several addresses were tried, one stands for all. */
const firstOf = (error: NodeJS.ErrnoException): NodeJS.ErrnoException =>
  error instanceof AggregateError ? (error.errors[0] ?? error) : error

/** Without open files to spare, DNS looks as if it were away. */
function notFound(error: unknown): Failure {
  try {
    closeSync(openSync('/dev/null', 'r'))
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    if (code in ownFaults) throw new NoLook(ownFaults[code]!, { cause: error })
  }
  return { code: 'dns', message: 'Its name cannot be looked up.' }
}

const files = 'Raise its limit of open files (LimitNOFILE= of the unit, ulimit -n).'

const ownFaults: Record<string, string> = {
  EMFILE: `This process may open no more connections. ${files}`,
  ENFILE: 'This machine may open no more files. Raise fs.file-max.',
  ENOBUFS: 'This machine has no memory left for connections.',
  ENOMEM: 'This machine has no memory left for connections.',
  EADDRNOTAVAIL: 'This machine has no address or port left to ask from.',
}

const timeoutCodes = new Set(['ETIMEDOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT'])

const dnsCodes = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'],
  ...['ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT', 'EFORMERR', 'EBADRESP', 'EBADNAME', 'ECANCELLED'],
])

const isTls = (code: string): boolean =>
  code === 'EPROTO' ||
  /^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_|INVALID_)/.test(code)

const tlsMessages: Record<string, string> = {
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is signed by itself alone.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is signed by nobody who is trusted.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Its certificate is signed by nobody who is trusted.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is signed by nobody who is trusted.',
  EPROTO: 'It speaks no TLS that is understood here.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'It speaks no TLS that is understood here.',
}

const connectMessages: Record<string, string> = {
  ECONNREFUSED: 'Nothing takes the connection.',
  ECONNRESET: 'It resets the connection.',
  EPIPE: 'It resets the connection.',
  EHOSTUNREACH: 'There is no way to its machine.',
  ENETUNREACH: 'There is no way to its network.',
}
