/** Knows an ssh host by the keys that it shows now, if somebody agrees to them or has their fingerprints. */
import { type HostKeyList, operations } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { confirm } from '../confirm.ts'
import { GuidedFault } from '../fail.ts'
import { plain } from '../plain.ts'
import { aligned } from '../table.ts'

/** Where forges tell them. */
const published: Record<string, string> = {
  'github.com':
    'https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/githubs-ssh-key-fingerprints',
  'gitlab.com': 'https://docs.gitlab.com/user/gitlab_com/#ssh-host-keys-fingerprints',
  'codeberg.org': 'https://docs.codeberg.org/security/ssh-fingerprint/',
}

/** False: the answer was no. */
export async function pinHostKeys(
  client: Api,
  name: string,
  { fingerprint, yes }: { fingerprint?: string[]; yes?: true },
): Promise<boolean> {
  const params = { name }
  const seen = await client.call(operations.listHostKeys, { params })
  const wanted = fingerprint ? matching(seen, fingerprint) : seen.keys
  if (!fingerprint && !yes) {
    process.stderr.write(seenText(seen))
    if (!(await confirm(`Are these the keys of ${plain(seen.host)}?`))) return false
  }
  const body = { host: seen.host, keys: wanted.map(({ public_key }) => public_key) }
  await client.call(operations.pinHostKeys, { params, body })
  return true
}

/** Every one that was given must be there: else it is another host, or a slip. */
function matching({ host, keys, machine }: HostKeyList, fingerprints: readonly string[]) {
  const wanted = keys.filter(key => fingerprints.includes(key.fingerprint))
  const missing = fingerprints.filter(text => !keys.some(key => key.fingerprint === text))
  if (missing.length === 0) return wanted
  const shown = keys.map(({ type, fingerprint }) => `${type} ${fingerprint}`).join(', ')
  throw new GuidedFault(
    'invalid_fields',
    `${plain(host)} shows ${machine} no key with the fingerprint ${plain(missing.join(', '))}; it shows ${shown}. Nothing was pinned.`,
    'If the fingerprint is right, something else answers in the host’s place: ask whoever runs it.',
  )
}

function seenText({ host, machine, keys }: HostKeyList): string {
  const rows = aligned(keys.map(({ type, fingerprint }) => [type, fingerprint]))
  const where = published[host]
  return [
    `${plain(host)} shows ${machine} these keys:`,
    ...rows.map(row => `  ${row}`),
    where ? `It publishes them at ${where}` : 'Compare them with what whoever runs the host says.',
    '',
  ].join('\n')
}
