/** How projects and their forges are connected: the secret of the webhook, and where statuses are written. */
import { randomBytes } from 'node:crypto'
import {
  Fault,
  type Forge,
  type ForgeKind,
  githubApiUrl,
  type HookCreate,
  type HookCreated,
  type StatusesSet,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Origin } from '#http'
import type { Projects } from '#projects'
import type { SecretBox } from '#secrets'
import type { Tables, Transaction } from '#store'

type ForgeRow = Tables['forge']

export interface ForgesOptions {
  clock: Clock
  projects: Projects
  secrets: SecretBox
  adminUrl: string
}

/** Where, and with what, statuses are written. */
export interface StatusAccess {
  readonly kind: ForgeKind
  readonly apiUrl: string
  readonly repository: string
  readonly token: string
}

export class Forges {
  readonly #options: ForgesOptions

  constructor(options: ForgesOptions) {
    this.#options = options
  }

  async read(transaction: Transaction, name: string): Promise<Forge> {
    await this.#options.projects.named(transaction, name)
    return this.#show(name, await rowOf(transaction, name))
  }

  /** A new secret, in place of one before it only with `rotate`. */
  async createHook(
    transaction: Transaction,
    origin: Origin,
    name: string,
    { rotate }: HookCreate,
  ): Promise<HookCreated> {
    await this.#options.projects.named(transaction, name)
    const isThere = (await rowOf(transaction, name))?.hook_secret != null
    if (isThere && !rotate) throw new Fault('hook_exists', `${name} has a hook already.`)
    const secret = `qd_hook_${randomBytes(32).toString('base64url')}`
    const hook_secret = await this.#options.secrets.seal(transaction, secret, hookPurpose(name))
    await this.#change(transaction, name, { hook_secret, hook_created_at: this.#now(), hook_used_at: null })
    await this.#options.projects.tell(transaction, origin, 'hook.created', name, { rotated: isThere })
    return { url: this.#hookUrl(name), secret }
  }

  /** Removing what is not there changes nothing. */
  async removeHook(transaction: Transaction, origin: Origin, name: string): Promise<void> {
    await this.#options.projects.named(transaction, name)
    if ((await rowOf(transaction, name))?.hook_secret == null) return
    await this.#change(transaction, name, { hook_secret: null, hook_created_at: null, hook_used_at: null })
    await this.#options.projects.tell(transaction, origin, 'hook.removed', name)
  }

  /** Undefined: there is no such project, or it has no hook. */
  async hookSecret(transaction: Transaction, name: string): Promise<string | undefined> {
    const project = await this.#options.projects.find(transaction, name)
    const sealed = project && (await rowOf(transaction, name))?.hook_secret
    return sealed ? this.#options.secrets.open(sealed, hookPurpose(name)) : undefined
  }

  /** A push started a run. */
  hookUsed(transaction: Transaction, name: string): Promise<void> {
    return this.#change(transaction, name, { hook_used_at: this.#now() })
  }

  async setStatuses(
    transaction: Transaction,
    origin: Origin,
    name: string,
    { kind, api_url = githubApiUrl, token }: StatusesSet,
  ): Promise<Forge> {
    await this.#options.projects.named(transaction, name)
    await this.#change(transaction, name, {
      status_kind: kind,
      status_api_url: api_url,
      status_token: await this.#options.secrets.seal(transaction, token, statusPurpose(name)),
      status_created_at: this.#now(),
      status_sent_at: null,
      status_problem: null,
    })
    await this.#options.projects.tell(transaction, origin, 'statuses.set', name, { kind, api_url })
    return this.read(transaction, name)
  }

  async removeStatuses(transaction: Transaction, origin: Origin, name: string): Promise<void> {
    await this.#options.projects.named(transaction, name)
    if ((await rowOf(transaction, name))?.status_token == null) return
    await this.#change(transaction, name, noStatuses)
    await this.#options.projects.tell(transaction, origin, 'statuses.removed', name)
  }

  /** Undefined: none are written for the project. */
  async statusAccess(transaction: Transaction, name: string): Promise<StatusAccess | undefined> {
    const project = await this.#options.projects.find(transaction, name)
    const row = await rowOf(transaction, name)
    if (!project || row?.status_token == null) return undefined
    return {
      kind: row.status_kind as ForgeKind,
      apiUrl: row.status_api_url!,
      repository: project.repository,
      token: this.#options.secrets.open(row.status_token, statusPurpose(name)),
    }
  }

  /** How the last status went; null: well. */
  async statusSent(transaction: Transaction, name: string, problem: string | null): Promise<void> {
    const sent = problem === null ? { status_sent_at: this.#now() } : {}
    await transaction
      .updateTable('forge')
      .set({ ...sent, status_problem: problem })
      .where('project', '=', name)
      .where('status_token', 'is not', null)
      .execute()
  }

  /** An archived project keeps no secrets. */
  async forget(transaction: Transaction, name: string): Promise<void> {
    await transaction.deleteFrom('forge').where('project', '=', name).execute()
  }

  #show(name: string, row: ForgeRow | undefined): Forge {
    return {
      hook:
        row?.hook_secret != null
          ? {
              url: this.#hookUrl(name),
              created_at: row.hook_created_at!,
              last_delivery_at: row.hook_used_at,
            }
          : null,
      statuses:
        row?.status_token != null
          ? {
              kind: row.status_kind as ForgeKind,
              api_url: row.status_api_url!,
              created_at: row.status_created_at!,
              last_sent_at: row.status_sent_at,
              problem: row.status_problem,
            }
          : null,
    }
  }

  #hookUrl = (name: string) => `${this.#options.adminUrl}/api/hooks/${name}`

  async #change(transaction: Transaction, project: string, change: Partial<ForgeRow>): Promise<void> {
    await transaction
      .insertInto('forge')
      .values({
        hook_secret: null,
        hook_created_at: null,
        hook_used_at: null,
        ...noStatuses,
        ...change,
        project,
      })
      .onConflict(conflict => conflict.column('project').doUpdateSet(change))
      .execute()
  }

  #now = () => this.#options.clock.now().toISOString()
}

const noStatuses = {
  status_kind: null,
  status_api_url: null,
  status_token: null,
  status_created_at: null,
  status_sent_at: null,
  status_problem: null,
}

const hookPurpose = (name: string) => `project/${name}/hook`
const statusPurpose = (name: string) => `project/${name}/statuses`

const rowOf = (transaction: Transaction, project: string): Promise<ForgeRow | undefined> =>
  transaction.selectFrom('forge').selectAll().where('project', '=', project).executeTakeFirst()
