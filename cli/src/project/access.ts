/** `qd project access`: what a private repository is read with. */
import { operations, type RepositoryAccess } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from '../api.ts'
import { confirm } from '../confirm.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { accessText } from './access-text.ts'
import { pinHostKeys } from './pin-host-keys.ts'
import { tokenFromInput } from './token-from-input.ts'

export interface AccessOptions extends ApiOptions {
  newKey?: true
  removeKey?: true
  pin?: true
  fingerprint?: string[]
  tokenStdin?: true
  username?: string
  removeToken?: true
  yes?: true
}

export const accessCommand = (): Command =>
  apiCommand('access', 'show and change what the repository is read with: deploy key, host keys, token')
    .argument('<name>')
    .option('--new-key', 'make a deploy key; in place of one that is there')
    .option('--remove-key', 'remove it: ssh uses what the machine itself has')
    .option('--pin', 'show the keys of the ssh host, and know it by them alone from now on')
    .option(
      '--fingerprint <SHA256:…>',
      'pin only the keys with these, without a question; repeatable',
      collect,
    )
    .option('--token-stdin', 'take a token for https from standard input')
    .option('--username <name>', 'that goes with the token, where the forge asks for a certain one')
    .option('--remove-token', 'remove it')
    .option('--yes', 'do not ask')
    .action(access)

const collect = (text: string, before: string[] = []): string[] => [...before, text]

async function access(name: string, options: AccessOptions): Promise<void> {
  refuseContradictions(options)
  const client = api(options)
  const project = await client.call(operations.readProject, { params: { name } })
  if (!(await change(client, name, options))) return
  const now = await client.call(operations.readRepositoryAccess, { params: { name } })
  if (options.json) printJson(now)
  else process.stdout.write(accessText(project, now))
}

/** False: the answer to a question was no. */
async function change(client: Api, name: string, options: AccessOptions): Promise<boolean> {
  const params = { name }
  if (options.removeToken) await client.call(operations.removeRepositoryToken, { params })
  if (options.tokenStdin) {
    const body = { token: await tokenFromInput(), ...(options.username && { username: options.username }) }
    await client.call(operations.setRepositoryToken, { params, body })
  }
  if (options.removeKey) await client.call(operations.removeDeployKey, { params })
  if (options.newKey && !(await makeKey(client, name, options))) return false
  const isPinned = options.pin || options.fingerprint
  return isPinned ? await pinHostKeys(client, name, options) : true
}

async function makeKey(client: Api, name: string, options: AccessOptions): Promise<boolean> {
  const params = { name }
  const { deploy_key }: RepositoryAccess = await client.call(operations.readRepositoryAccess, { params })
  const question = `${name} has a deploy key. Until the forge knows a new one, nothing can be fetched. Replace it?`
  if (deploy_key && !options.yes && !(await confirm(question))) return false
  await client.call(operations.createDeployKey, { params, body: { rotate: deploy_key !== null } })
  return true
}

function refuseContradictions({ newKey, removeKey, tokenStdin, removeToken, username }: AccessOptions): void {
  const both =
    (newKey && removeKey && '--new-key and --remove-key') ||
    (tokenStdin && removeToken && '--token-stdin and --remove-token')
  if (both) throw new GuidedFault('invalid_fields', `${both} contradict each other.`, 'Say one of the two.')
  if (username && !tokenStdin)
    throw new GuidedFault('invalid_fields', '--username goes with a token.', 'Say it with --token-stdin.')
}
