/** What to do with a project that was just added: a token, and the call of the deploy webhook. */
import { operations, type Project, type RepositoryAccess } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'
import { keyText } from './access-text.ts'

export async function added(
  client: Api,
  project: Project,
  access: RepositoryAccess | null = null,
): Promise<string> {
  const { green, dim, bold } = colours(process.stdout)
  const { name, repository, branch } = project
  const web = project.processes.find(process => process.name === 'web')
  const where = project.url ? `, at ${plain(project.url)} (port ${web?.port ?? '–'})` : ''
  const steps = [
    ...(access ? [keyText(project, access), pinning(name, access)] : []),
    ['Make a token for whatever deploys it:', `qd token create ${name} --label ci`],
    [
      `Call the webhook with it after a push to ${plain(branch)}:`,
      ...curl(await webhook(client, name), repository),
    ],
  ]
  return [
    `${green('✓')} ${name} was ${project.adopted ? 'adopted' : 'added'}: ${plain(repository)}, branch ${plain(branch)}, on ${placement(project)}${where}.`,
    '',
    ...steps.flatMap(([first, ...more], index) => [
      `${bold(`${index + 1}.`)} ${first}`,
      ...more.map(line => `   ${line}`),
    ]),
    dim(`   Or let the forge call it itself: qd forge hook ${name}`),
    dim(`   Or deploy it by hand at once: qd deploy ${name}`),
    '',
  ].join('\n')
}

const pinning = (name: string, { remote }: RepositoryAccess): string[] => [
  `Look at the keys of ${plain(remote!.host)}, and pin them if they are right:`,
  `qd project access ${name} --pin`,
]

export const placement = ({ machines, group }: Project): string =>
  machines.length > 0 ? machines.map(plain).join(', ') : `every machine of ${plain(group)}`

/** Control knows best how it is called from outside. */
async function webhook(client: Api, name: string): Promise<string> {
  const { servers } = (await client.call(operations.readOpenapi, {})) as { servers?: { url: string }[] }
  const admin = servers?.[0]?.url ?? '{admin_url}'
  return plain(`${admin}${operations.deploy.path.replace('{name}', name)}`)
}

const curl = (url: string, repository: string): string[] => [
  `curl --fail-with-body -X POST ${url} \\`,
  `  -H "Authorization: Bearer $DEPLOY_TOKEN" -H 'Content-Type: application/json' \\`,
  `  -d '{"ref":"'"$(git rev-parse HEAD)"'","project":"${plain(repository)}"}'`,
]
