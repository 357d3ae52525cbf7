/** Who is asking: a bearer token becomes a role. Wrong ones are counted per address. */
import { Fault, type Role, type TokenKind } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { type Caller, type Identity, nobody } from '#http'
import type { Tokens } from '#tokens'

const windowMs = 60_000
const rememberedAddresses = 10_000

/** A token of these kinds speaks for a machine, and never to this API. */
const roleOf: Partial<Record<TokenKind, Role>> = { operator: 'operator', deploy: 'deploy' }

export class Identities {
  readonly #tokens: Tokens
  readonly #clock: Clock
  readonly #badPerMinute: number
  readonly #bad = new Map<string, { count: number; sinceMs: number }>()

  constructor(tokens: Tokens, clock: Clock, badPerMinute: number) {
    this.#tokens = tokens
    this.#clock = clock
    this.#badPerMinute = badPerMinute
  }

  /** Nobody without credentials; a fault with bad ones. */
  async identify({ address, secure, authorization }: Caller): Promise<Identity> {
    if (authorization === undefined) return nobody
    if (!secure) {
      throw new Fault('tls_required', 'A token came over an unencrypted connection from another machine.')
    }
    this.#refuseGuessing(address)
    const secret = authorization.match(/^bearer +(\S+) *$/i)?.[1] ?? ''
    const token = await this.#tokens.find(secret)
    const role = token && roleOf[token.kind]
    if (!role) throw this.#badToken(address)
    return {
      role,
      id: token.id,
      name: token.label,
      projects: token.project === null ? null : [token.project],
      secret,
    }
  }

  #refuseGuessing(address: string): void {
    const bad = this.#bad.get(address)
    if (!bad) return
    const leftMs = bad.sinceMs + windowMs - this.#clock.monotonicMs()
    if (leftMs <= 0) this.#bad.delete(address)
    else if (bad.count >= this.#badPerMinute) {
      throw new Fault(
        'too_many_bad_tokens',
        `${bad.count} wrong tokens came from ${address} within a minute.`,
        {
          retryAfterS: Math.ceil(leftMs / 1000),
        },
      )
    }
  }

  #badToken(address: string): Fault {
    const bad = this.#bad.get(address) ?? { count: 0, sinceMs: this.#clock.monotonicMs() }
    bad.count++
    this.#bad.set(address, bad)
    const oldest = this.#bad.keys().next()
    if (this.#bad.size > rememberedAddresses && !oldest.done) this.#bad.delete(oldest.value)
    return new Fault('unauthenticated', 'The token is wrong, expired or revoked.')
  }
}
