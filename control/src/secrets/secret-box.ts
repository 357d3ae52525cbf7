/**
 * Secrets that have to be read again, such as what a signature is made with, are stored encrypted: AES-256-GCM with the
 * home's key, which no database has. What is sealed is bound to its purpose, so that nobody who can write to the database
 * can put one secret in the place of another.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Fault } from '@quarterdeck/contract'
import type { Transaction } from '#store'
import { makeKey, readKey, type SecretKey, secretKeyName, unusable } from './key-file.ts'
import { sealedElsewhere } from './sealed-columns.ts'

const version = 'v1'
const nonceBytes = 12
const tagBytes = 16

export class SecretBox {
  readonly #home: string

  constructor(home: string) {
    this.#home = home
  }

  /**
   * The text, encrypted, for a column that `sealed-columns.ts` lists. `purpose` is what it is and whose: `project/hello/hook`.
   * The first one makes the key. While there are secrets of another key, or of one that is lost, nothing is sealed.
   */
  async seal(transaction: Transaction, text: string, purpose: string): Promise<string> {
    const known = readKey(this.#home)
    const other = await sealedElsewhere(transaction, known && prefixOf(known))
    if (other !== undefined) throw this.#lost(known, other)
    const key = known ?? makeKey(this.#home)
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(boundTo(key, purpose))
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return prefixOf(key) + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
  }

  /** What was sealed for this very purpose. */
  open(sealed: string, purpose: string): string {
    const key = readKey(this.#home)
    if (!key || !sealed.startsWith(prefixOf(key))) throw this.#lost(key, sealed)
    const bytes = Buffer.from(sealed.slice(prefixOf(key).length), 'base64url')
    try {
      const cipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      }).setAAD(boundTo(key, purpose))
      cipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const rest = bytes.subarray(nonceBytes + tagBytes)
      return Buffer.concat([cipher.update(rest), cipher.final()]).toString()
    } catch (error) {
      throw unusable(`The secret for ${purpose} was changed in the database, or is another one.`, error)
    }
  }

  /** The same for the same text and purpose; without the key nobody can try out what the text may be. */
  fingerprint(text: string, purpose: string): string {
    const key = readKey(this.#home)
    if (!key) throw unusable(`There is no key in ${this.#home}/${secretKeyName}.`)
    const own = Buffer.from(hkdfSync('sha256', key.bytes, '', `quarterdeck ${purpose}`, 32))
    return createHmac('sha256', own).update(text).digest('hex')
  }

  #lost(key: SecretKey | undefined, sealed: string) {
    const wanted = sealed.split('.')[1] ?? ''
    const file = `${this.#home}/${secretKeyName}`
    return unusable(
      key
        ? `The key in ${file} (${key.id}) is not the one that the secrets were encrypted with (${wanted}).`
        : `There are secrets that were encrypted with the key ${wanted}, and its file ${file} is gone.`,
    )
  }
}

/** Whether it is the key that is missing, or another one. */
export const isUnreadable = (error: unknown): error is Fault =>
  error instanceof Fault && error.code === 'secret_key_unusable'

/** Tells the format and the key. */
const prefixOf = ({ id }: SecretKey) => `${version}.${id}.`

const boundTo = (key: SecretKey, purpose: string) => Buffer.from(`${prefixOf(key)}${purpose}`)
