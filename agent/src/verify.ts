/**
 * Proves that a release runs: /healthz and /readyz true and /version telling its commit, several times, by the same
 * process all along, over an address that is not loopback. An end of a process fails it at once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type PlacedProject, type ProjectProcess, RunFault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { answersOn, look, type Seen } from './probe.ts'
import { type ListeningPort, listeningPorts } from './processes.ts'
import type { KnownUnit, UnitEnd, UnitEngine } from './units/unit-engine.ts'

export interface VerifyTiming {
  /** How often in a row it must answer well, and how far apart. */
  readonly times: number
  readonly apartMs: number
  /** Between looks while it does not yet; up to five times as far apart when that takes long. */
  readonly pollMs: number
  /** How long a worker must have run. */
  readonly workerMs: number
}

export const verifyTiming: VerifyTiming = { times: 3, apartMs: 1000, pollMs: 20, workerMs: 5000 }

export interface Subject {
  readonly units: UnitEngine
  readonly project: PlacedProject
  readonly sha: string
  /** Of this machine, not loopback. */
  readonly address: string
  readonly timing: VerifyTiming
  readonly clock: Clock
}

/** Resolves with what was seen, in a phrase; rejects with `verify_failed`, or with the signal's reason. */
export async function verify(subject: Subject, signal: AbortSignal): Promise<string> {
  const { project, units } = subject
  const lasting = project.processes.filter(process => !process.timer)
  const over = new AbortController()
  const ended = AbortSignal.any([signal, over.signal])
  try {
    await Promise.race([
      Promise.all(lasting.map(process => prove(subject, process, ended))),
      ...lasting.map(async process => {
        // One that has ended already tells since when that is so.
        const { instance, since } = unitOf(units, project.name, process.name) ?? {}
        throw endedFault(
          subject,
          process,
          instance ? since : null,
          await units.ended(project.name, process.name, ended),
        )
      }),
    ])
  } finally {
    over.abort()
  }
  const phrases = lasting.map(({ name }) =>
    name === 'web' ? `healthy, ready, commit ${subject.sha.slice(0, 12)}` : `${name} runs`,
  )
  return phrases.join('; ') || 'only timers, which wait for their time'
}

const prove = (subject: Subject, process: ProjectProcess, signal: AbortSignal): Promise<void> =>
  process.port === null ? lasts(subject, process, signal) : answers(subject, process.port, signal)

/** A worker has nothing to answer with: that it goes on running is the proof. */
async function lasts(subject: Subject, process: ProjectProcess, signal: AbortSignal): Promise<void> {
  const before = unitOf(subject.units, subject.project.name, process.name)
  await wait(subject.timing.workerMs, undefined, { signal })
  sameProcess(subject, process.name, before)
}

async function answers(subject: Subject, port: number, signal: AbortSignal): Promise<void> {
  const { project, timing, clock } = subject
  const before = unitOf(subject.units, project.name, 'web')
  const startMs = clock.monotonicMs()
  const limitMs = project.health.timeout_s * 1000
  let good = 0
  let alike = 0
  let last: Seen | undefined
  for (;;) {
    const seen = await look(`http://${subject.address}:${port}`, subject.sha, signal, limitMs)
    sameProcess(subject, 'web', before)
    good = seen.kind === 'good' ? good + 1 : 0
    if (good === timing.times) return
    alike = seen.kind === last?.kind ? alike + 1 : 1
    last = seen
    const tookMs = clock.monotonicMs() - startMs
    const isHopeless = alike >= timing.times && (await cannotMend(subject, port, seen, signal))
    if (isHopeless || tookMs > limitMs) throw seenFault(subject, port, seen, before, tookMs)
    const pollMs = Math.min(timing.pollMs + tookMs / 20, timing.pollMs * 5)
    await wait(good > 0 ? timing.apartMs : pollMs, undefined, { signal })
  }
}

/** What a running process tells of its commit never changes, nor does it come to listen elsewhere. */
async function cannotMend(
  { address, sha }: Subject,
  port: number,
  { kind }: Seen,
  signal: AbortSignal,
): Promise<boolean> {
  if (kind === 'version') return true
  if (kind !== 'refused' || !(await answersOn('127.0.0.1', port))) return false
  // It may have come to listen everywhere between the two looks.
  return (await look(`http://${address}:${port}`, sha, signal)).kind === 'refused'
}

function sameProcess({ units, project }: Subject, name: string, before: KnownUnit | undefined): void {
  if (unitOf(units, project.name, name)?.instance === before?.instance) return
  throw new RunFault(
    'verify_failed',
    `${project.name}: the process ${name} was replaced while it was verified.`,
  )
}

const unitOf = (units: UnitEngine, project: string, process: string) =>
  units.list(project).find(({ name }) => name === process)

function endedFault(
  { project, clock }: Subject,
  process: ProjectProcess,
  since: string | null | undefined,
  { code, signal }: UnitEnd,
): RunFault {
  const how = code !== null ? `with code ${code}` : signal !== null ? `by ${signal}` : 'unseen'
  const afterMs = since ? clock.now().getTime() - Date.parse(since) : undefined
  const after = afterMs === undefined ? '' : `, ${(afterMs / 1000).toFixed(1)} s after its start`
  return new RunFault('verify_failed', `${project.name}: the process ${process.name} ended ${how}${after}.`)
}

function seenFault(
  { project, sha }: Subject,
  port: number,
  seen: Seen,
  unit: KnownUnit | undefined,
  tookMs: number,
): RunFault {
  const after = `after ${Math.round(tookMs / 1000)} s`
  const messages: Record<Seen['kind'], () => string> = {
    good: () => `did not go on answering well within ${project.health.timeout_s} s`,
    version: () => `tells ${seen.what} at /version instead of ${sha.slice(0, 12)}`,
    refused: () => listensWhere(port, unit, after),
    silent: () => `accepts connections on port ${port} and does not answer ${after} (${seen.what})`,
    unhealthy: () => `answers but is not healthy ${after}: ${seen.what}`,
    unready: () => `is alive but not ready ${after}: ${seen.what}`,
  }
  return new RunFault('verify_failed', `${project.name} ${messages[seen.kind]()}.`)
}

/** Nobody listens where it should: says where it does. */
function listensWhere(port: number, unit: KnownUnit | undefined, after: string): string {
  const found = unit?.pid ? listeningPorts(unit.pid) : []
  if (found.some(place => place.port === port)) {
    return `listens on loopback only (${placesOf(found)}); it must listen on 0.0.0.0, port ${port}`
  }
  if (found.length > 0) return `listens on ${placesOf(found)}, not on port ${port} (PORT) ${after}`
  return `does not listen on port ${port} ${after}`
}

const placesOf = (found: readonly ListeningPort[]) =>
  [...new Set(found.map(({ address, port }) => `${address}:${port}`))].join(', ')
