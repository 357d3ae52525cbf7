/** What private repositories are read with, project by project: made or taken here, sealed, and shown without secrets. */
import {
  type DeployKeyCreate,
  Fault,
  type GitAccess,
  type HostKeysPin,
  knownHostName,
  type RepositoryAccess,
  type RepositoryTokenSet,
  remoteOf,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Origin } from '#http'
import type { Projects } from '#projects'
import { isUnreadable, type SecretBox } from '#secrets'
import type { Transaction } from '#store'
import { changeRow, knownHosts, rowOf } from './access-rows.ts'
import { sshRemoteOf } from './host-keys.ts'
import { fingerprintOf, isPublicKey, newKeyPair } from './openssh-key.ts'
import { shownAccess } from './shown-access.ts'

export interface PrivateRepositoriesOptions {
  clock: Clock
  projects: Projects
  secrets: SecretBox
}

/** What of a project tells where it is fetched from. */
interface Fetched {
  name: string
  git_url: string
}

export class PrivateRepositories {
  readonly #options: PrivateRepositoriesOptions

  constructor(options: PrivateRepositoriesOptions) {
    this.#options = options
  }

  /** It needs no key of the home. */
  async read(transaction: Transaction, name: string): Promise<RepositoryAccess> {
    const project = await this.#options.projects.named(transaction, name)
    return shownAccess(project, await rowOf(transaction, name))
  }

  /** In place of one before it only with `rotate`. */
  async createKey(
    transaction: Transaction,
    origin: Origin,
    name: string,
    { rotate }: DeployKeyCreate,
  ): Promise<RepositoryAccess> {
    await this.#options.projects.named(transaction, name)
    const isThere = (await rowOf(transaction, name))?.private_key != null
    if (isThere && !rotate) throw new Fault('deploy_key_exists', `${name} has a deploy key already.`)
    const { privateKey, publicKey } = newKeyPair(`quarterdeck-${name}`)
    await changeRow(transaction, name, {
      public_key: publicKey,
      private_key: await this.#options.secrets.seal(transaction, privateKey, keyPurpose(name)),
      key_created_at: this.#now(),
    })
    const fingerprint = fingerprintOf(publicKey)
    await this.#options.projects.tell(transaction, origin, 'deploy_key.created', name, {
      fingerprint,
      rotated: isThere,
    })
    return this.read(transaction, name)
  }

  /** Removing what is not there changes nothing. */
  async removeKey(transaction: Transaction, origin: Origin, name: string): Promise<void> {
    await this.#options.projects.named(transaction, name)
    const row = await rowOf(transaction, name)
    if (row?.private_key == null) return
    await changeRow(transaction, name, { public_key: null, private_key: null, key_created_at: null })
    const fingerprint = fingerprintOf(row.public_key!)
    await this.#options.projects.tell(transaction, origin, 'deploy_key.removed', name, { fingerprint })
  }

  /** Those before them no longer count. */
  async pin(
    transaction: Transaction,
    origin: Origin,
    name: string,
    { host, keys }: HostKeysPin,
  ): Promise<RepositoryAccess> {
    const known = knownHostName(sshRemoteOf(await this.#options.projects.named(transaction, name)))
    if (host !== known) throw notAcceptable('host', `must be ${known}, which ${name} is fetched from`)
    const odd = keys.findIndex(key => !isPublicKey(key))
    if (odd >= 0) throw notAcceptable(`keys.${odd}`, 'is not a public key of the type that it names')
    const distinct = [...new Set(keys)]
    await changeRow(transaction, name, {
      host,
      host_keys: JSON.stringify(distinct),
      pinned_at: this.#now(),
    })
    const fingerprints = distinct.map(fingerprintOf)
    await this.#options.projects.tell(transaction, origin, 'host_keys.pinned', name, { host, fingerprints })
    return this.read(transaction, name)
  }

  /** It is for the address that the project is fetched from at this moment, and for no other. */
  async setToken(
    transaction: Transaction,
    origin: Origin,
    name: string,
    { username, token }: RepositoryTokenSet,
  ): Promise<RepositoryAccess> {
    const { git_url } = await this.#options.projects.named(transaction, name)
    const remote = remoteOf(git_url)
    if (remote?.kind !== 'https' || !remote.isSafe)
      throw new Fault('remote_unsuitable', `${name} is fetched from ${git_url}, where no token is sent.`)
    await changeRow(transaction, name, {
      token_url: remote.url,
      token_username: username,
      token: await this.#options.secrets.seal(transaction, token, tokenPurpose(name)),
      token_created_at: this.#now(),
    })
    await this.#options.projects.tell(transaction, origin, 'repository_token.set', name, {
      url: remote.url,
      username,
    })
    return this.read(transaction, name)
  }

  async removeToken(transaction: Transaction, origin: Origin, name: string): Promise<void> {
    await this.#options.projects.named(transaction, name)
    const row = await rowOf(transaction, name)
    if (row?.token == null) return
    await changeRow(transaction, name, {
      token_url: null,
      token_username: null,
      token: null,
      token_created_at: null,
    })
    await this.#options.projects.tell(transaction, origin, 'repository_token.removed', name, {
      url: row.token_url,
    })
  }

  /**
   * What git is given for a run; null: nothing of ours. Of another host than the one it was made for nothing is given, and
   * without host keys there is none that ssh knows. Throws `secret_key_unusable` when it cannot be read.
   */
  async accessFor(transaction: Transaction, { name, git_url }: Fetched): Promise<GitAccess | null> {
    const row = await rowOf(transaction, name)
    const remote = remoteOf(git_url)
    const { secrets } = this.#options
    if (remote?.kind === 'ssh' && row?.private_key != null)
      return {
        ssh: {
          private_key: secrets.open(row.private_key, keyPurpose(name)),
          known_hosts: row.host === knownHostName(remote) ? knownHosts(row) : '',
        },
        https: null,
      }
    if (remote?.kind === 'https' && row?.token != null && row.token_url === remote.url)
      return {
        ssh: null,
        https: {
          url: remote.url,
          username: row.token_username!,
          token: secrets.open(row.token, tokenPurpose(name)),
        },
      }
    return null
  }

  /** Of a run that is told again. What cannot be read any more its machine has kept: then nothing is said of it. */
  async accessIfReadable(transaction: Transaction, project: Fetched): Promise<{ git?: GitAccess | null }> {
    try {
      return { git: await this.accessFor(transaction, project) }
    } catch (error) {
      if (isUnreadable(error)) return {}
      throw error
    }
  }

  /** An archived project keeps no secrets. */
  async forget(transaction: Transaction, name: string): Promise<void> {
    await transaction.deleteFrom('repository_access').where('project', '=', name).execute()
  }

  #now = () => this.#options.clock.now().toISOString()
}

const keyPurpose = (name: string) => `project/${name}/deploy-key`
const tokenPurpose = (name: string) => `project/${name}/repository-token`

const notAcceptable = (field: string, message: string) =>
  new Fault('invalid_fields', `Not acceptable: ${field} ${message}.`, { fields: [{ field, message }] })
