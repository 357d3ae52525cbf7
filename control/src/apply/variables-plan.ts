/** Variables as a document says them: plain ones are set and unset, of secrets it is only seen whether they are there. */
import { Fault, type FieldError, type ProjectEntry, type SettingChange } from '@quarterdeck/contract'
import type { Origin } from '#http'
import type { Transaction } from '#store'
import type { Variables } from '#variables'

export interface VariablesPlan {
  readonly project: string
  readonly set: Readonly<Record<string, string>>
  readonly unset: readonly string[]
  readonly changes: readonly SettingChange[]
  readonly secretsToSet: readonly string[]
}

interface Known {
  secret: boolean
  value: string | null
}

/** Undefined: the document leaves them as they are. `isThere`: the project is no new one. */
export async function planVariables(
  transaction: Transaction,
  variables: Variables,
  project: string,
  { variables: entries }: ProjectEntry,
  isThere: boolean,
  problems: FieldError[],
): Promise<VariablesPlan | undefined> {
  if (!entries) return undefined
  const there = isThere ? (await variables.list(transaction, project)).items : []
  const known = new Map<string, Known>(there.map(variable => [variable.name, variable]))
  const plain = Object.entries(entries).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  for (const [name] of plain) {
    if (known.get(name)?.secret) problems.push(isSecret(project, name))
  }
  const set = plain.filter(([name, value]) => known.get(name)?.value !== value)
  const unset = there.filter(({ name, secret }) => !secret && !Object.hasOwn(entries, name))
  return {
    project,
    set: Object.fromEntries(set),
    unset: unset.map(({ name }) => name),
    changes: [
      ...set.map(([name, after]) => change(name, known.get(name)?.value ?? null, after)),
      ...unset.map(({ name, value }) => change(name, value, null)),
    ],
    secretsToSet: Object.keys(entries).filter(
      name => typeof entries[name] !== 'string' && !known.get(name)?.secret,
    ),
  }
}

export async function performVariables(
  transaction: Transaction,
  variables: Variables,
  origin: Origin,
  { project, set, unset }: VariablesPlan,
): Promise<void> {
  const values = Object.entries(set).map(([name, value]) => [name, { value, secret: false }] as const)
  const wanted = { set: Object.fromEntries(values), unset: [...unset] }
  try {
    await variables.change(transaction, origin, project, wanted)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    // Too many, or too large together.
    const fields = error.fields.map(({ message }) => ({ field: `projects.${project}.variables`, message }))
    throw new Fault(error.code, `${error.message} Nothing was changed.`, { fields, cause: error })
  }
}

const change = (name: string, before: string | null, after: string | null): SettingChange => ({
  key: `variables.${name}`,
  before,
  after,
})

const isSecret = (project: string, name: string): FieldError => ({
  field: `projects.${project}.variables.${name}`,
  message: `is a secret there; write {secret: true}, or make it a plain one with \`qd var unset\` first`,
})
