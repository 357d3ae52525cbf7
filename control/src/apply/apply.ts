/** `apply`: everything is looked at first, then done in one transaction, or nothing is. */
import { createHash } from 'node:crypto'
import { type ApplyOutcome, type EnvironmentFile, Fault, type ServicesOutcome } from '@quarterdeck/contract'
import type { Origin } from '#http'
import {
  type Archiving,
  archiveProject,
  type BusyForPlan,
  type ProjectsPlan,
  performProjects,
  planProjects,
  webOf,
} from '#projects'
import { performServices, planServices, type Services, type ServicesPlan } from '#services'
import type { Transaction } from '#store'
import type { Variables } from '#variables'
import { differences } from './differences.ts'
import { performVariables, planVariables, type VariablesPlan } from './variables-plan.ts'

export interface ApplyOptions extends Archiving {
  variables: Variables
  services: Services
}

export interface ApplyWish {
  readonly file: EnvironmentFile
  /** Nothing is done. */
  readonly dryRun: boolean
  /** What is not named is archived. */
  readonly prune: boolean
  /** Of what was shown: nothing else is done. */
  readonly digest: string | undefined
}

/** `busy` is what `busyForPlan` told before the transaction. */
export async function apply(
  transaction: Transaction,
  origin: Origin,
  options: ApplyOptions,
  { file, dryRun, prune, digest }: ApplyWish,
  busy: BusyForPlan,
): Promise<ApplyOutcome> {
  const plan = await planAll(transaction, options, file, prune, busy)
  const outcome = outcomeOf(plan, !dryRun)
  if (digest !== undefined && digest !== outcome.digest) {
    throw new Fault('changed_meanwhile', 'Something else would be done by now than what was shown.')
  }
  if (dryRun) return outcome
  const { projects, variables, services } = options
  for (const { name } of plan.archived) await archiveProject(transaction, origin, options, name)
  await performProjects(transaction, projects, origin, plan)
  for (const each of plan.variables) await performVariables(transaction, variables, origin, each)
  await performServices(transaction, services, origin, plan.services)
  return outcome
}

interface Plan extends ProjectsPlan {
  readonly variables: readonly VariablesPlan[]
  readonly services: ServicesPlan
}

/** Throws with everything that stands in the way. */
async function planAll(
  transaction: Transaction,
  { projects, variables, services }: ApplyOptions,
  file: EnvironmentFile,
  prune: boolean,
  busy: BusyForPlan,
): Promise<Plan> {
  const ids = new Set(Object.keys(file.services ?? {}))
  const wish = { projects: file.projects, services: ids, prune }
  const plan = await planProjects(transaction, projects, wish, busy)
  const names = new Set(Object.keys(file.projects))
  const planned = await planServices(
    transaction,
    { services, projects },
    { services: file.services, names, prune },
  )
  const problems = [...plan.problems, ...planned.problems]
  const isNew = new Set(plan.created.map(({ name }) => name))
  const isKnown = new Set(
    [...plan.unchanged, ...plan.changed.map(({ before }) => before)].map(({ name }) => name),
  )
  const ofProjects: VariablesPlan[] = []
  for (const [name, entry] of Object.entries(file.projects).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!isNew.has(name) && !isKnown.has(name)) continue
    const each = await planVariables(transaction, variables, name, entry, isKnown.has(name), problems)
    if (each) ofProjects.push(each)
  }
  if (problems.length === 0) return { ...plan, variables: ofProjects, services: planned }
  const named = [...new Set(problems.map(({ field }) => field))].join(', ')
  throw new Fault('invalid_fields', `Not acceptable: ${named}. Nothing was changed.`, { fields: problems })
}

function outcomeOf(plan: Plan, applied: boolean): ApplyOutcome {
  const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name)
  const ofVariables = (name: string) => plan.variables.find(({ project }) => project === name)?.changes ?? []
  const there = [
    ...plan.unchanged.map(({ name }) => ({ name, changes: [...ofVariables(name)] })),
    ...plan.changed.map(({ before, after }) => ({
      name: after.name,
      changes: [...differences(settingsAlone(before, after), after), ...ofVariables(after.name)],
    })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
  const changed = there.filter(({ changes }) => changes.length > 0)
  const archived = namesOf(plan.archived)
  const { created, variables, services } = plan
  return {
    applied,
    digest: digestOf({ created, changed, archived, variables, services: doneTo(services) }),
    created: created.map(settings => ({
      name: settings.name,
      repository: settings.repository,
      port: webOf(settings)?.port ?? null,
    })),
    changed,
    unchanged: namesOf(there.filter(({ changes }) => changes.length === 0)),
    archived,
    secrets_to_set: variables.flatMap(({ project, secretsToSet }) =>
      secretsToSet.map(name => ({ project, name })),
    ),
    not_in_file: namesOf(plan.notNamed),
    services: servicesOutcome(services),
  }
}

const servicesOutcome = (plan: ServicesPlan): ServicesOutcome => ({
  created: plan.created.map(({ id, settings }) => ({ name: id, url: settings.url })),
  changed: plan.changed.map(({ row, before, after }) => ({
    name: row.id,
    changes: differences(before, after),
  })),
  unchanged: [...plan.unchanged],
  removed: [...plan.removed],
  not_in_file: [...plan.notNamed],
})

const doneTo = (plan: ServicesPlan): object => {
  const { changed, removed } = servicesOutcome(plan)
  return { created: plan.created, changed, removed }
}

/** Of what was stored only what is a setting. */
const settingsAlone = (before: object, after: object): object =>
  Object.fromEntries(Object.entries(before).filter(([key]) => Object.hasOwn(after, key)))

/** Of all that would be done, and of what to. What others do elsewhere meanwhile is their own affair. */
const digestOf = (done: object): string => createHash('sha256').update(JSON.stringify(done)).digest('hex')
