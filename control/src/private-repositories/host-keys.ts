/** The keys that an ssh host shows to a project's machine. It takes its time, so it is no part of a transaction. */
import {
  Fault,
  type HostKeyList,
  hostKeysSeen,
  knownHostName,
  type RepositoryAccess,
  remoteOf,
  type SshRemote,
} from '@quarterdeck/contract'
import type { Fleet } from '#fleet'
import type { Projects } from '#projects'
import { fingerprintOf, isPublicKey } from './openssh-key.ts'

type ShownKey = NonNullable<RepositoryAccess['host_keys']>['keys'][number]

export async function hostKeysOf(projects: Projects, fleet: Fleet, name: string): Promise<HostKeyList> {
  const project = await projects.store.read(transaction => projects.named(transaction, name))
  const { host, port } = sshRemoteOf(project)
  const machines = fleet.placement(project).map(machine => machine.name)
  const machine = machines.find(each => fleet.isConnected(each))
  if (machine === undefined) {
    const which = machines.length > 0 ? `The agent on ${machines[0]} is not connected` : 'It has no machine'
    throw new Fault('machine_unreachable', `${which}, so nobody can ask ${host}.`, { retryAfterS: 5 })
  }
  const { keys, problem } = hostKeysSeen.parse(await fleet.ask(machine, { what: 'host_keys', host, port }))
  const usable = keys.filter(isPublicKey)
  if (usable.length === 0)
    throw new Fault(
      'host_keys_unavailable',
      `${machine} got no ssh host keys from ${host}, port ${port}. ${problem ?? 'What it got are none.'}`,
    )
  return {
    host: knownHostName({ host, port }),
    machine,
    keys: usable.map(public_key => ({ ...shownKey(public_key), public_key })),
  }
}

/** Throws unless the project is fetched by ssh. */
export function sshRemoteOf({ name, git_url }: { name: string; git_url: string }): SshRemote {
  const remote = remoteOf(git_url)
  if (remote?.kind === 'ssh') return remote
  throw new Fault('remote_unsuitable', `${name} is fetched from ${git_url}, which is not ssh.`)
}

export const shownKey = (publicKey: string): ShownKey => ({
  type: publicKey.split(' ')[0] as ShownKey['type'],
  fingerprint: fingerprintOf(publicKey),
})
