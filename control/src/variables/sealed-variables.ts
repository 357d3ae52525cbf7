/** What is secret in the variables of a project: sealed, opened, compared, and told apart without being told. */
import { createHash } from 'node:crypto'
import { noVariables, type VariableSet } from '@quarterdeck/contract'
import { isUnreadable, type SecretBox } from '#secrets'
import type { Transaction } from '#store'
import type { Content, VariableRow } from './variable-rows.ts'

/** As many digits of a hash as the contract takes. */
const idLength = noVariables.length

export class SealedVariables {
  readonly #box: SecretBox

  constructor(box: SecretBox) {
    this.#box = box
  }

  async contentOf(
    transaction: Transaction,
    { project, name }: Pick<VariableRow, 'project' | 'name'>,
    value: string,
    isSecret: boolean,
  ): Promise<Content> {
    if (!isSecret) return { secret: 0, value, sealed: null }
    return {
      secret: 1,
      value: null,
      sealed: await this.#box.seal(transaction, value, purposeOf(project, name)),
    }
  }

  /** Throws `secret_key_unusable` when a secret among them cannot be read. */
  setOf(rows: readonly VariableRow[]): VariableSet {
    const values = rows.map(row => [row.name, this.#valueOf(row)] as const)
    const secrets = rows.filter(({ secret }) => secret === 1).map(({ name }) => name)
    return { id: this.#idOf(values, secrets), values: Object.fromEntries(values), secrets }
  }

  /** The same; undefined when a secret among them cannot be read. */
  readableSetOf(rows: readonly VariableRow[]): VariableSet | undefined {
    try {
      return this.setOf(rows)
    } catch (error) {
      if (isUnreadable(error)) return undefined
      throw error
    }
  }

  /** A secret that cannot be read is like no other. */
  isSame(row: VariableRow, value: string, isSecret: boolean): boolean {
    return row.secret === Number(isSecret) && this.readableSetOf([row])?.values[row.name] === value
  }

  #valueOf({ project, name, value, sealed }: VariableRow): string {
    return value ?? this.#box.open(sealed ?? '', purposeOf(project, name))
  }

  /** What has no secrets needs no key: a lost one is no trouble of those. */
  #idOf(values: readonly (readonly [string, string])[], secrets: readonly string[]): string {
    if (values.length === 0) return noVariables
    const text = JSON.stringify([values, secrets])
    const hash =
      secrets.length > 0
        ? this.#box.fingerprint(text, 'variable set')
        : createHash('sha256').update(text).digest('hex')
    return hash.slice(0, idLength)
  }
}

const purposeOf = (project: string, name: string) => `project/${project}/variable/${name}`
