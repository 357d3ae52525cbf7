/** Who is asking: a bearer token becomes a role. Wrong ones are counted per address. */
import { Fault, type Role, type TokenKind } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { type Caller, type Identity, nobody, PerMinute } from '#http'
import type { Tokens } from '#tokens'

/** A token of these kinds speaks for a machine, and never to this API. */
const roleOf: Partial<Record<TokenKind, Role>> = { operator: 'operator', deploy: 'deploy' }

export class Identities {
  readonly #tokens: Tokens
  readonly #bad: PerMinute

  constructor(tokens: Tokens, clock: Clock, badPerMinute: number) {
    this.#tokens = tokens
    this.#bad = new PerMinute(clock, badPerMinute)
  }

  /** Nobody without credentials; a fault with bad ones. */
  async identify({ address, secure, authorization }: Caller): Promise<Identity> {
    if (authorization === undefined) return nobody
    if (!secure) {
      throw new Fault('tls_required', 'A token came over an unencrypted connection from another machine.')
    }
    this.refuseGuessing(address)
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

  /** Throws while too many wrong tokens came from there. */
  refuseGuessing(address: string): void {
    const retryAfterS = this.#bad.waitS(address)
    if (retryAfterS === 0) return
    const detail = `Too many wrong tokens or signatures came from ${address} within a minute.`
    throw new Fault('too_many_bad_tokens', detail, { retryAfterS })
  }

  /** Counts a guess: a wrong signature is worth as much as a wrong token. */
  countGuess(address: string): void {
    this.#bad.count(address)
  }

  #badToken(address: string): Fault {
    this.countGuess(address)
    return new Fault('unauthenticated', 'The token is wrong, expired or revoked.')
  }
}
