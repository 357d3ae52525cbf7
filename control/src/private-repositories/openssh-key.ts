/**
 * Key pairs as OpenSSH writes them: an Ed25519 pair for a project, and the fingerprint of any public key.
 * https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key
 */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'

const type = 'ssh-ed25519'
/** Without a cipher the private part is filled up to a multiple of this. */
const blockBytes = 8
const lineLength = 70

export interface OpensshKeyPair {
  readonly privateKey: string
  /** One line, with the comment. */
  readonly publicKey: string
}

export function newKeyPair(comment: string): OpensshKeyPair {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [point, seed] = [Buffer.from(x!, 'base64url'), Buffer.from(d!, 'base64url')]
  const publicPart = Buffer.concat([field(type), field(point)])
  return {
    privateKey: armoured(privateFile(publicPart, point, seed, comment)),
    publicKey: `${type} ${publicPart.toString('base64')} ${comment}`,
  }
}

/** Of a public key with or without a comment, as `ssh-keygen -l` shows it. */
export function fingerprintOf(publicKey: string): string {
  const hash = createHash('sha256').update(blobOf(publicKey)).digest('base64')
  return `SHA256:${hash.replace(/=+$/, '')}`
}

/** Whether the key says of itself the type that stands in front of it. */
export function isPublicKey(publicKey: string): boolean {
  const [name = ''] = publicKey.split(' ')
  return blobOf(publicKey)
    .subarray(0, 4 + name.length)
    .equals(field(name))
}

const blobOf = (publicKey: string) => Buffer.from(publicKey.split(' ')[1] ?? '', 'base64')

function privateFile(publicPart: Buffer, point: Buffer, seed: Buffer, comment: string): Buffer {
  // Twice the same, by which a reader sees that it has decrypted it well.
  const check = randomBytes(4)
  const secret = [check, check, publicPart, field(Buffer.concat([seed, point])), field(comment)]
  return Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[field('none'), field('none'), field('')],
    number(1),
    field(publicPart),
    field(filledUp(Buffer.concat(secret))),
  ])
}

/** With 1, 2, 3, … */
function filledUp(bytes: Buffer): Buffer {
  const missing = (blockBytes - (bytes.length % blockBytes)) % blockBytes
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))])
}

function armoured(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? []
  const name = 'OPENSSH PRIVATE KEY'
  return [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`, ''].join('\n')
}

/** A string of RFC 4251: its length, then itself. */
function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string)
  return Buffer.concat([number(bytes.length), bytes])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
