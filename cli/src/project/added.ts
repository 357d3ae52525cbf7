/** What to do with a project that was just added: a token, and the call of the deploy webhook. */
import { operations, type Project } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'

export async function added(client: Api, project: Project): Promise<string> {
  const { green, dim, bold } = colours(process.stdout)
  const { name, repository, branch } = project
  const web = project.processes.find(process => process.name === 'web')
  const where = project.url ? `, at ${plain(project.url)} (port ${web?.port ?? '–'})` : ''
  return [
    `${green('✓')} ${name} was ${project.adopted ? 'adopted' : 'added'}: ${plain(repository)}, branch ${plain(branch)}, on ${placement(project)}${where}.`,
    '',
    `${bold('1.')} Make a token for whatever deploys it:`,
    `   qd token create ${name} --label ci`,
    `${bold('2.')} Call the webhook with it after a push to ${plain(branch)}:`,
    ...curl(await webhook(client, name), repository).map(line => `   ${line}`),
    dim(`   Or let the forge call it itself: qd forge hook ${name}`),
    dim(`   Or deploy it by hand at once: qd deploy ${name}`),
    '',
  ].join('\n')
}

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
