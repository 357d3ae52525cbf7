/** What a project's repository is read with, without anything secret, and what is in the way of reading it. */
import { knownHostName, type Remote, type RepositoryAccess, remoteOf } from '@quarterdeck/contract'
import { type AccessRow, pinnedKeys } from './access-rows.ts'
import { shownKey } from './host-keys.ts'
import { fingerprintOf } from './openssh-key.ts'

export function shownAccess(
  { name, git_url }: { name: string; git_url: string },
  row: AccessRow | undefined,
): RepositoryAccess {
  const remote = remoteOf(git_url)
  return {
    remote: remote && { kind: remote.kind, host: hostOf(remote) },
    deploy_key:
      row?.public_key != null
        ? {
            public_key: row.public_key,
            fingerprint: fingerprintOf(row.public_key),
            created_at: row.key_created_at!,
          }
        : null,
    host_keys:
      row?.host != null
        ? { host: row.host, keys: pinnedKeys(row).map(shownKey), pinned_at: row.pinned_at! }
        : null,
    token:
      row?.token != null
        ? { url: row.token_url!, username: row.token_username!, created_at: row.token_created_at! }
        : null,
    problem: (row && remote && problemOf(name, remote, row)) ?? null,
  }
}

const hostOf = (remote: Remote) => (remote.kind === 'ssh' ? knownHostName(remote) : remote.url)

function problemOf(name: string, remote: Remote, row: AccessRow): string | undefined {
  const host = hostOf(remote)
  if (remote.kind === 'https') {
    if (row.token === null || row.token_url === host) return undefined
    return `The token is for ${row.token_url}, and ${name} is fetched from ${host}: it is not sent there. Set one for it with \`qd project access ${name} --token-stdin\`.`
  }
  if (row.private_key === null || row.host === host) return undefined
  const pinned = row.host === null ? 'are not pinned' : `are not pinned, only those of ${row.host}`
  return `The keys of ${host} ${pinned}, so it is not spoken to. Pin them with \`qd project access ${name} --pin\`.`
}
