/** A forge's call, from its signature to a run: the same delivery is the same run. */
import { Fault, type ForgePush, type HookIgnored } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { type Accepted, type Deploys, findRun } from '#deploy'
import type { PerMinute, RawCall, Response } from '#http'
import type { Projects } from '#projects'
import type { Store, Transaction } from '#store'
import { type Delivery, deliveryIn, pushIn } from './delivery.ts'
import type { Forges } from './forges.ts'
import { beforeOf, pusherOf, refuseOtherRepository, whyIgnored } from './push.ts'
import { isSigned, signatureIn } from './signature.ts'

/** Forges send a delivery again for days. Later, what lies behind is no longer deployed by a push. */
export const deliveriesKeptMs = 30 * 86_400_000

/** Signed with by nobody: an unknown project takes as long as a wrong signature. */
const noSecret = 'no secret'

/** Who guesses signatures is told to wait. */
export interface Guesses {
  refuseGuessing(address: string): void
  countGuess(address: string): void
}

export interface HookOptions {
  store: Store
  clock: Clock
  forges: Forges
  deploys: Deploys
  projects: Projects
  guesses: Guesses
  /** Calls per project. */
  calls: PerMinute
}

interface Push extends Delivery {
  readonly project: string
  readonly signature: string
  readonly payload: ForgePush
}

export async function receiveHook(options: HookOptions, call: RawCall): Promise<Response> {
  const { store, deploys } = options
  const project = call.params.name ?? ''
  const signature = await provenSignature(options, project, call)
  countCall(options.calls, project)
  const delivery = deliveryIn(call.headers)
  if (delivery.event === 'ping') return ignored('A ping: the webhook is set up well.')
  if (delivery.event !== 'push') return ignored('Only pushes are deployed; other events need not be sent.')
  const push: Push = { ...delivery, project, signature, payload: pushIn(call) }
  const taken = await store.write(transaction => take(transaction, options, push, call), {
    refusesFirst: true,
  })
  if ('ignored' in taken) return ignored(taken.ignored)
  deploys.accepted(taken)
  return { status: 202, headers: { location: deploys.apiUrl(taken.row) }, value: deploys.show(taken.row) }
}

/** One answer for a wrong signature, for none, and for a project or hook that is not there. */
async function provenSignature({ store, forges, guesses }: HookOptions, project: string, call: RawCall) {
  const signature = signatureIn(call.headers)
  const secret = await store.read(transaction => forges.hookSecret(transaction, project))
  const isRight = isSigned(call.body, secret ?? noSecret, signature)
  if (isRight && secret !== undefined && signature !== undefined) return signature
  throw badSignature(guesses, call.from)
}

export function badSignature(guesses: Guesses, address: string): Fault {
  guesses.countGuess(address)
  return new Fault('bad_signature', 'The signature is not right, or there is no such project or hook.')
}

function countCall(calls: PerMinute, project: string): void {
  const key = `hook/${project}`
  const retryAfterS = calls.waitS(key)
  if (retryAfterS > 0) {
    throw new Fault('too_many_calls', `The hook of ${project} was called too often within a minute.`, {
      retryAfterS,
    })
  }
  calls.count(key)
}

async function take(
  transaction: Transaction,
  { clock, forges, deploys, projects }: HookOptions,
  push: Push,
  { from, requestId }: RawCall,
): Promise<Accepted | HookIgnored> {
  const { payload, forge, signature, id: delivery } = push
  const project = await projects.named(transaction, push.project)
  const known = await knownRun(transaction, push)
  if (known) return { row: known, superseded: [] }
  refuseOtherRepository(projects, project, payload)
  const why = whyIgnored(payload, project)
  if (why !== undefined) return { ignored: why }
  const by = `${forge}:${pusherOf(payload)}`
  const before = beforeOf(payload)
  const accepted = await deploys.accept(
    transaction,
    { by, from, requestId },
    {
      ...{ project: project.name, repository: project.repository, kind: 'deploy', ref: payload.after },
      ...{ discard: false, repeats: false, by, caller: `hook/${project.name}` },
      ...{ idempotencyKey: undefined, requestHash: signature },
      ...(before !== undefined && { changedSince: before }),
    },
  )
  const created_at = clock.now().toISOString()
  await transaction
    .insertInto('hook_delivery')
    .values({ project: project.name, delivery, signature, run_id: accepted.row.id, created_at })
    // One whose run is no longer kept.
    .onConflict(conflict =>
      conflict
        .columns(['project', 'delivery'])
        .doUpdateSet({ signature, run_id: accepted.row.id, created_at }),
    )
    .execute()
  await forges.hookUsed(transaction, project.name)
  return accepted
}

/** The delivery's name is not signed: what was sent once is known by its signature, too. */
async function knownRun(transaction: Transaction, { project, id, signature }: Push) {
  const known = await transaction
    .selectFrom('hook_delivery')
    .select('run_id')
    .where('project', '=', project)
    .where(({ or, eb }) => or([eb('delivery', '=', id), eb('signature', '=', signature)]))
    .executeTakeFirst()
  return known && findRun(transaction, known.run_id)
}

const ignored = (why: string): Response => ({ status: 200, value: { ignored: why } satisfies HookIgnored })

export async function pruneDeliveries(transaction: Transaction, clock: Clock): Promise<void> {
  const before = new Date(clock.now().getTime() - deliveriesKeptMs).toISOString()
  await transaction.deleteFrom('hook_delivery').where('created_at', '<', before).execute()
}
