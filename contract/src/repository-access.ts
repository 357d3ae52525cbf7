/**
 * How a private repository is read: by ssh with a deploy key of the project's own and host keys that somebody has agreed
 * to, or by https with a token. What is secret of it is never shown.
 */
import { z } from 'zod'
import { document } from './document.ts'
import { line, slug, time } from './wire.ts'

export const hostKeyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
] as const

/** As OpenSSH writes a public key, without a comment. */
export const publicKey = z
  .string()
  .max(6000)
  .regex(
    new RegExp(`^(${hostKeyTypes.join('|')}) [A-Za-z0-9+/]{40,}={0,2}$`),
    'a public key such as `ssh-ed25519 AAAA…`, without a comment',
  )

export const keyFingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'a fingerprint such as ssh shows it: SHA256: and 43 characters')

const knownHost = z
  .string()
  .max(300)
  .describe('as ssh names it: the host, or `[host]:port` where the port is not 22')

const shownKey = z.object({ type: z.enum(hostKeyTypes), fingerprint: keyFingerprint })

export const repositoryAccess = z.object({
  remote: z
    .object({ kind: z.enum(['ssh', 'https']), host: knownHost.describe('of https: its address') })
    .nullable()
    .describe('where it is fetched from; null: from a place that knows no credentials'),
  deploy_key: z
    .object({
      public_key: z.string().describe('for the repository’s deploy keys at the forge; reading is enough'),
      fingerprint: keyFingerprint,
      created_at: time,
    })
    .nullable()
    .describe('null: ssh uses what the machine itself has'),
  host_keys: z
    .object({ host: knownHost, keys: z.array(shownKey), pinned_at: time })
    .nullable()
    .describe('the only keys by which the remote is known; they count together with the deploy key'),
  token: z
    .object({
      url: z.string().describe('it is sent nowhere else'),
      username: z.string(),
      created_at: time,
    })
    .nullable()
    .describe('of https'),
  problem: z.string().nullable().describe('why it cannot be fetched so, and what to do'),
})
export type RepositoryAccess = z.infer<typeof repositoryAccess>

export const deployKeyCreate = z.object({
  rotate: z.boolean().default(false).describe('in place of the one that is there, which is gone then'),
})
export type DeployKeyCreate = z.infer<typeof deployKeyCreate>

export const hostKeyList = z.object({
  host: knownHost,
  machine: slug.describe('which has asked for them'),
  keys: z.array(shownKey.extend({ public_key: publicKey })).min(1),
})
export type HostKeyList = z.infer<typeof hostKeyList>

export const hostKeysPin = z.object({
  host: knownHost.describe('must be the one that the project is fetched from'),
  keys: z.array(publicKey).min(1).max(10),
})
export type HostKeysPin = z.infer<typeof hostKeysPin>

/** GitHub, Gitea and GitLab take any name with a personal token; this one GitHub asks for with an app’s. */
export const defaultTokenUsername = 'x-access-token'

export const repositoryTokenSet = z.object({
  username: line
    .min(1)
    .max(200)
    .regex(/^[^:\s]+$/, 'must not hold colons or spaces')
    .default(defaultTokenUsername),
  token: z
    .string()
    .trim()
    .min(4)
    .max(1000)
    .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces'),
})
export type RepositoryTokenSet = z.infer<typeof repositoryTokenSet>

/** What git is given to read a repository. It goes with an order, and is in no journal. */
export const gitAccess = z.object({
  ssh: z
    .object({
      private_key: z.string().describe('in OpenSSH’s format'),
      known_hosts: z.string().describe('a list as ssh keeps it; empty: no host is known'),
    })
    .nullable(),
  https: z
    .object({ url: z.string().describe('what it is sent to'), username: z.string(), token: z.string() })
    .nullable(),
})
export type GitAccess = z.infer<typeof gitAccess>

/** What a machine has seen of a host, as the reply to `host_keys`. */
export const hostKeysSeen = z.object({
  keys: z.array(publicKey).max(20),
  problem: z.string().nullable().describe('why there are none'),
})
export type HostKeysSeen = z.infer<typeof hostKeysSeen>

const exampleKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
const exampleFingerprint = 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'

export const repositoryAccessDocument = document('repository-access', repositoryAccess, {
  remote: { kind: 'ssh', host: 'github.com' },
  deploy_key: {
    public_key:
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3Cq0oSWcQ4tcUZ0jEwW0bUQyXb5kV2b2QyXb5kV2b2 quarterdeck-hello',
    fingerprint: 'SHA256:5sE2v8k1b8bGm3X0gqSPYf3qWkz0bXyM5h0h1mCwq3E',
    created_at: '2026-03-01T10:00:00Z',
  },
  host_keys: {
    host: 'github.com',
    keys: [{ type: 'ssh-ed25519', fingerprint: exampleFingerprint }],
    pinned_at: '2026-03-01T10:02:00Z',
  },
  token: null,
  problem: null,
})

export const deployKeyCreateDocument = document('deploy-key-create', deployKeyCreate, { rotate: true })

export const hostKeyListDocument = document('host-key-list', hostKeyList, {
  host: 'github.com',
  machine: 'web-1',
  keys: [{ type: 'ssh-ed25519', fingerprint: exampleFingerprint, public_key: exampleKey }],
})

export const hostKeysPinDocument = document('host-keys-pin', hostKeysPin, {
  host: 'github.com',
  keys: [exampleKey],
})

export const repositoryTokenSetDocument = document('repository-token-set', repositoryTokenSet, {
  username: 'deploy-bot',
  token: '0123456789abcdef0123456789abcdef01234567',
})
