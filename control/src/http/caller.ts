/** Who asks, and how the request reached us. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Role } from '@quarterdeck/contract'

export interface Caller {
  readonly address: string
  /** Asks from this machine itself. */
  readonly loopback: boolean
  /** Nobody in between could read what was sent. */
  readonly secure: boolean
  readonly authorization: string | undefined
}

export interface Identity {
  readonly role: Role
  /** Of the token or person; what they do is recorded under it. */
  readonly id: string
  readonly name: string | null
  /** The projects the role is limited to; null: no limit. */
  readonly projects: readonly string[] | null
  /** What only the caller has, to seal what only the caller may read again. */
  readonly secret: string
}

export const nobody: Identity = { role: 'nobody', id: 'nobody', name: null, projects: [], secret: '' }

/** Who did something and how it came in, for the record. */
export interface Origin {
  readonly by: string
  readonly from: string | null
  readonly requestId: string | null
}

export const bySystem: Origin = { by: 'system', from: null, requestId: null }

/**
 * The edge writes these headers afresh on every request, and nobody else reaches control. On localhost nothing leaves
 * the machine, so credentials may come in the clear.
 */
export function callerOf(headers: IncomingHttpHeaders, credentialsInTheClear: boolean): Caller {
  const address = String(headers['x-forwarded-for'] ?? '')
  const loopback = /^(127(\.\d{1,3}){3}|::1)$/.test(address)
  return {
    address,
    loopback,
    secure: credentialsInTheClear || loopback || headers['x-forwarded-proto'] === 'https',
    authorization: headers.authorization,
  }
}
