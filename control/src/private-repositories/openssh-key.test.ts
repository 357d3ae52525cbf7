import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { fingerprintOf, isPublicKey, newKeyPair } from './openssh-key.ts'

const github = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

const isMissing = spawnSync('ssh-keygen', ['-?']).error !== undefined

/** Comments of every length modulo the block size. */
test.for(['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'quarterdeck-hello'])(
  'OpenSSH itself reads a pair with the comment "%s"',
  (comment, context) => {
    if (isMissing) context.skip('ssh-keygen is not installed (Debian: openssh-client)')
    const { privateKey, publicKey } = newKeyPair(comment)
    const file = join(temporaryDirectory(), 'key')
    writeFileSync(file, privateKey, { mode: 0o600 })
    const keygen = (...args: string[]) =>
      execFileSync('ssh-keygen', [...args, '-f', file], { encoding: 'utf8' })
    expect(keygen('-y').trim()).toBe(publicKey.trim())
    expect(keygen('-l')).toContain(` ${fingerprintOf(publicKey)} `)
  },
)

test('no two pairs are alike', () => {
  expect(newKeyPair('x').publicKey).not.toBe(newKeyPair('x').publicKey)
})

test('a fingerprint is what the forge publishes', () => {
  expect(fingerprintOf(github)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU')
  expect(fingerprintOf(`${github} a comment`)).toBe(fingerprintOf(github))
})

test('a key that is another one inside is none', () => {
  expect(isPublicKey(github)).toBe(true)
  expect(isPublicKey(github.replace('ssh-ed25519', 'ssh-rsa'))).toBe(false)
  expect(isPublicKey(`ssh-ed25519 ${'A'.repeat(68)}`)).toBe(false)
})
