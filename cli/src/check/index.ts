/** Checks a running service against every clause of the contract that can be seen over HTTP. */
import type { Clause, Finding } from './clause.ts'
import { clausesFor } from './clauses/index.ts'
import { answers } from './clauses/reach.ts'
import { NoAnswer } from './no-answer.ts'
import { Probe } from './probe.ts'

export interface CheckOptions {
  /** What /version must call the service. */
  name?: string | undefined
  /** Which commit /version must tell. */
  sha?: string | undefined
  /** True: /metrics must be there. False: it is not looked at. Otherwise it is checked where it is offered. */
  metrics?: boolean | undefined
  /** This machine's addresses beyond the loopback. Default: those of its network interfaces. */
  addresses?: readonly string[]
}

export interface CheckedClause extends Finding {
  id: string
  title: string
}

export interface Report {
  /** Whether there is no breach. */
  ok: boolean
  url: string
  /** In a fixed order; only the first, `reach.answers`, where the service does not answer at all. */
  clauses: CheckedClause[]
}

/** `url` is where the paths of the service begin, such as `http://hello.localhost:8300`. */
export async function checkService(url: string, options: CheckOptions = {}): Promise<Report> {
  const probe = new Probe(url)
  const told = new Set<NoAnswer>()
  const clauses: CheckedClause[] = []
  // One after the other: some compare what the service counted before and after.
  for (const clause of clausesFor(options)) {
    const { id, title } = clause
    clauses.push({ id, title, ...(await findingOf(clause, probe, told)) })
    if (!answered({ clauses })) break
  }
  return { ok: clauses.every(({ ok }) => ok !== false), url, clauses }
}

/** Whether the service answered at all. */
export const answered = ({ clauses }: Pick<Report, 'clauses'>): boolean =>
  clauses.every(({ id, ok }) => id !== answers.id || ok !== false)

/** A request without an answer is a breach once, however many clauses needed it. */
async function findingOf(clause: Clause, probe: Probe, told: Set<NoAnswer>): Promise<Finding> {
  try {
    return await clause.check(probe)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    const ok = told.has(error) ? null : false
    told.add(error)
    return { ok, found: error.message, remedy: ok === false ? error.remedy : null }
  }
}
