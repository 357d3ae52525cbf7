/** The variables of projects, in revisions: what is changed makes a new one, and every earlier one can be had again. */
import {
  Fault,
  isSecretEnough,
  noVariables,
  secretTooShort,
  type VariableChange,
  type VariableList,
  type VariableRestore,
  type VariableSet,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import { instancesOf } from '#fleet'
import type { Origin } from '#http'
import type { Projects } from '#projects'
import type { SecretBox } from '#secrets'
import type { Transaction } from '#store'
import { type Revision, revise } from './revise.ts'
import { SealedVariables } from './sealed-variables.ts'
import { combinedAt, newestRevision, rowsAt, type VariableRow } from './variable-rows.ts'

export interface VariablesOptions {
  events: Events
  clock: Clock
  projects: Projects
  secrets: SecretBox
}

export class Variables {
  readonly #options: VariablesOptions
  readonly #sealed: SealedVariables

  constructor(options: VariablesOptions) {
    this.#options = options
    this.#sealed = new SealedVariables(options.secrets)
  }

  /** It needs no key, except to tell which machines have the newest: without it, none is taken to have them. */
  async list(transaction: Transaction, name: string): Promise<VariableList> {
    await this.#options.projects.named(transaction, name)
    const rows = await transaction
      .selectFrom('variable')
      .innerJoin('variable_revision', join =>
        join
          .onRef('variable_revision.project', '=', 'variable.project')
          .onRef('variable_revision.revision', '=', 'variable.since'),
      )
      .selectAll('variable')
      .select(['variable_revision.at', 'variable_revision.by'])
      .where('variable.project', '=', name)
      .where('variable.until', 'is', null)
      .orderBy('variable.name')
      .execute()
    const newest = this.#sealed.readableSetOf(rows)?.id
    const instances = await instancesOf(transaction, name)
    return {
      revision: await newestRevision(transaction, name),
      items: rows.map(row => ({
        name: row.name,
        secret: row.secret === 1,
        value: row.value,
        updated_at: row.at,
        updated_by: row.by,
      })),
      instances: instances
        .filter(({ sha }) => sha !== null)
        .map(({ machine, variables }) => ({ machine, current: (variables ?? noVariables) === newest })),
    }
  }

  /** What is as it was makes no revision. */
  async change(
    transaction: Transaction,
    origin: Origin,
    name: string,
    { set, unset, revision }: VariableChange,
  ): Promise<VariableList> {
    await this.#options.projects.named(transaction, name)
    const newest = await newestRevision(transaction, name)
    if (revision !== undefined && revision !== newest) {
      throw new Fault('variables_changed', `The variables of ${name} are at revision ${newest} by now.`)
    }
    const before = byName(await rowsAt(transaction, name, newest))
    const wanted = Object.entries(set).map(([variable, { value, secret }]) => {
      const row = before.get(variable)
      const isSecret = secret ?? row?.secret === 1
      if (isSecret && !isSecretEnough(value)) throw tooShort(variable)
      const content = () =>
        this.#sealed.contentOf(transaction, { project: name, name: variable }, value, isSecret)
      return { name: variable, content, isNew: !row || !this.#sealed.isSame(row, value, isSecret) }
    })
    await this.#revise(transaction, origin, name, newest, {
      set: wanted.filter(({ isNew }) => isNew),
      unset: [...new Set(unset)].filter(variable => before.has(variable)),
    })
    return this.list(transaction, name)
  }

  /** Brings an earlier revision back, as a new one. */
  async restore(
    transaction: Transaction,
    origin: Origin,
    name: string,
    { revision, secrets }: VariableRestore,
  ): Promise<VariableList> {
    await this.#options.projects.named(transaction, name)
    const newest = await newestRevision(transaction, name)
    if (revision > newest) {
      throw new Fault(
        'not_found',
        `The variables of ${name} are at revision ${newest}: there is no ${revision}.`,
      )
    }
    const rows = await combinedAt(transaction, name, revision, secrets ? revision : newest)
    // What cannot be read is of no use to anyone: rather say so now than when it is deployed.
    if (secrets) this.#sealed.setOf(rows)
    await this.#bringBack(transaction, origin, name, newest, rows, { restoredFrom: revision })
    return this.list(transaction, name)
  }

  /** 0: none was ever set. */
  revision(transaction: Transaction, project: string): Promise<number> {
    return newestRevision(transaction, project)
  }

  /** Plain variables as of one revision, secrets as of another. Throws `secret_key_unusable` when one cannot be read. */
  async setAt(
    transaction: Transaction,
    project: string,
    revision: number,
    { secretsAt = revision }: { secretsAt?: number } = {},
  ): Promise<VariableSet> {
    return this.#sealed.setOf(await combinedAt(transaction, project, revision, secretsAt))
  }

  /** What units are started with now. */
  async newest(transaction: Transaction, project: string): Promise<{ revision: number; set: VariableSet }> {
    const revision = await newestRevision(transaction, project)
    return { revision, set: await this.setAt(transaction, project, revision) }
  }

  /**
   * A rollback has brought the plain variables of a revision back, unless someone changed some while it went on: then
   * theirs stay. Gives the revision that what runs by it has.
   */
  async rolledBack(
    transaction: Transaction,
    origin: Origin,
    rollback: { project: string; runId: string; begunAt: number; to: number; withSecrets: boolean },
  ): Promise<number> {
    const { project, runId, begunAt, to, withSecrets } = rollback
    if ((await newestRevision(transaction, project)) !== begunAt) return to
    const rows = await combinedAt(transaction, project, to, withSecrets ? to : begunAt)
    return this.#bringBack(transaction, origin, project, begunAt, rows, { restoredFrom: to, runId })
  }

  /** Its units were restarted with these: to go back to what runs now is to go back to them. */
  async startedWith(transaction: Transaction, project: string, variables_revision: number): Promise<void> {
    await transaction
      .updateTable('run')
      .set({ variables_revision })
      .where('position', '=', ({ selectFrom }) =>
        selectFrom('run as last')
          .select(({ fn }) => fn.max('last.position').as('position'))
          .where('last.project', '=', project)
          .where('last.status', '=', 'succeeded'),
      )
      .execute()
  }

  /** An archived project keeps no variables. */
  async forget(transaction: Transaction, project: string): Promise<void> {
    await transaction.deleteFrom('variable').where('project', '=', project).execute()
    await transaction.deleteFrom('variable_revision').where('project', '=', project).execute()
  }

  /** Gives the revision that has them. */
  async #bringBack(
    transaction: Transaction,
    origin: Origin,
    project: string,
    newest: number,
    wanted: readonly VariableRow[],
    why: Pick<Revision, 'restoredFrom' | 'runId'>,
  ): Promise<number> {
    const before = byName(await rowsAt(transaction, project, newest))
    const changed = wanted.filter(row => !this.#isSameAs(row, before.get(row.name)))
    const names = new Set(wanted.map(({ name }) => name))
    return this.#revise(transaction, origin, project, newest, {
      set: changed.map(({ name, secret, value, sealed }) => ({
        name,
        content: async () => ({ secret, value, sealed }),
      })),
      unset: [...before.keys()].filter(name => !names.has(name)),
      ...why,
    })
  }

  #isSameAs(row: VariableRow, other: VariableRow | undefined): boolean {
    if (!other || row.since === other.since) return other !== undefined
    const value = this.#sealed.readableSetOf([row])?.values[row.name]
    return value !== undefined && this.#sealed.isSame(other, value, row.secret === 1)
  }

  #revise(transaction: Transaction, origin: Origin, project: string, newest: number, revision: Revision) {
    return revise(transaction, this.#options, origin, project, newest, revision)
  }
}

const byName = (rows: readonly VariableRow[]): Map<string, VariableRow> =>
  new Map(rows.map(row => [row.name, row]))

const tooShort = (name: string) =>
  new Fault('invalid_fields', `Not acceptable: set.${name}.value.`, {
    fields: [{ field: `set.${name}.value`, message: secretTooShort }],
  })
