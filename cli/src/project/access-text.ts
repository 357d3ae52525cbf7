/** What a private repository is read with, for people: the public key to paste, and where. */
import type { Project, RepositoryAccess } from '@quarterdeck/contract'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'
import { aligned, details } from '../table.ts'
import { moment } from '../when.ts'

export function accessText(project: Project, access: RepositoryAccess): string {
  const { bold, yellow } = colours(process.stdout)
  const { remote, deploy_key, host_keys, token, problem } = access
  const facts = details([
    ['Fetched from', plain(project.git_url)],
    ['Deploy key', deploy_key && `${deploy_key.fingerprint}, made ${moment(deploy_key.created_at)}`],
    ['Host keys', host_keys && hostKeyLines(host_keys)],
    [
      'Token',
      token && `for ${plain(token.url)} as ${plain(token.username)}, set ${moment(token.created_at)}`,
    ],
  ])
  return [
    `${bold(project.name)}\n${facts}`,
    ...(deploy_key && remote?.kind === 'ssh' ? [`\n${keyText(project, access).join('\n')}\n`] : []),
    ...(deploy_key || token ? [] : [`${withoutAny(project.name, remote)}\n`]),
    ...(problem ? [`\n${yellow(plain(problem))}\n`] : []),
  ].join('')
}

const hostKeyLines = ({ host, keys, pinned_at }: NonNullable<RepositoryAccess['host_keys']>): string[] => [
  `${plain(host)}, pinned ${moment(pinned_at)}`,
  ...aligned(keys.map(({ type, fingerprint }) => [type, fingerprint])),
]

/** The key is alone on its line, so that it can be taken as it is. */
export function keyText(
  { repository }: Pick<Project, 'repository'>,
  { deploy_key, remote }: Pick<RepositoryAccess, 'deploy_key' | 'remote'>,
): string[] {
  return [
    `Add this key to ${plain(repository)} as a deploy key, for reading alone:`,
    plain(deploy_key!.public_key),
    ...where(remote!.host, plain(repository)).map(line => `  ${line}`),
  ]
}

function where(host: string, repository: string): string[] {
  if (host === 'github.com') return [`https://github.com/${repository}/settings/keys/new`]
  if (host === 'gitlab.com') return [`https://gitlab.com/${repository}/-/settings/repository, “Deploy keys”`]
  const name = host.replace(/^\[(.+)\]:\d+$/, '$1')
  return [`On Gitea or Forgejo: https://${plain(name)}/${repository}/settings/keys`]
}

function withoutAny(name: string, remote: RepositoryAccess['remote']): string {
  if (!remote) return 'It is fetched without a key or a token: its address takes none.'
  return remote.kind === 'ssh'
    ? `ssh uses the keys that the machine itself has. \`qd project access ${name} --new-key\` makes one for this project alone.`
    : `It is fetched without a token, as a public one. \`qd project access ${name} --token-stdin\` takes one.`
}
