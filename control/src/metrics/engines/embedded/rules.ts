/** Rule groups as they are loaded: evaluated one after the other, at one moment, each bounded in what it may read. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Rule, RuleFile } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Alert } from './alert.ts'
import { AlertingRule } from './alerting-rule.ts'
import { Labels } from './labels.ts'
import { needOfName, needsOf } from './needs.ts'
import { evaluate } from './promql/evaluate.ts'
import { durationMs } from './promql/literal.ts'
import { parseExpression } from './promql/parse.ts'
import { EvaluationFailed } from './promql/refused.ts'
import type { Vector } from './promql/vector.ts'
import { RecordingRule } from './recording-rule.ts'
import type { RuleState } from './rule-state.ts'
import type { Need, SeriesStore } from './series.ts'

/** More alerts or series of one rule tell nobody anything. */
const mostResults = 10_000
/** Requests are answered by the same thread: after so long it is their turn. */
const longestTurnMs = 5

/** A rule with how its last evaluation went. */
export interface LoadedRule {
  readonly rule: AlertingRule | RecordingRule
  health: 'unknown' | 'ok' | 'err'
  lastError: string | null
  evaluationMs: number
  evaluatedAtMs: number | null
}

export interface LoadedGroup {
  readonly file: string
  readonly name: string
  readonly intervalMs: number
  readonly rules: readonly LoadedRule[]
  /** Of the last evaluation; 0 and null before the first. */
  evaluationMs: number
  evaluatedAtMs: number | null
}

/** Everything that is refused of the files, a line for each rule. */
export class RulesRefused extends Error {
  override name = 'RulesRefused'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

export class Rules {
  readonly groups: readonly LoadedGroup[]
  #hasEnded = false
  #moves = 0

  /** Files by name, already of the right shape; `placeOf` tells where in a file a rule is. Throws `RulesRefused`. */
  constructor(
    files: Readonly<Record<string, RuleFile>>,
    intervalMs: number,
    placeOf: (file: string, group: number, rule: number) => string = file => file,
  ) {
    const problems: string[] = []
    this.groups = Object.entries(files).flatMap(([file, { groups }]) =>
      groups.map((group, groupNth) => ({
        file,
        name: group.name,
        intervalMs: group.interval ? durationMs(group.interval) : intervalMs,
        rules: group.rules.flatMap((rule, nth) => {
          const loaded = load(rule)
          if (typeof loaded !== 'string') return [loaded]
          problems.push(`${placeOf(file, groupNth, nth)}, group ${group.name}, ${nameOf(rule)}: ${loaded}`)
          return []
        }),
        evaluationMs: 0,
        evaluatedAtMs: null,
      })),
    )
    if (problems.length > 0) throw new RulesRefused(problems)
  }

  /** What has to be in memory for them. */
  get needs(): Need[] {
    const rules = this.groups.flatMap(({ rules }) => rules.map(({ rule }) => rule))
    return [
      ...needsOf(rules.map(({ expression }) => expression)),
      // What is recorded is meant to be asked for.
      ...rules.flatMap(rule => (rule.kind === 'recording' ? [needOfName(rule.name)] : [])),
    ]
  }

  get alerts(): Alert[] {
    return this.#alerting().flatMap(({ rule }) => rule.alerts)
  }

  /**
   * One moment for the whole group, and room for others between its rules. A rule that fails says so in its own place; the others
   * go on, and its alerts stay as they were.
   */
  async evaluate(group: LoadedGroup, store: SeriesStore, atMs: number, clock: Clock): Promise<void> {
    const startedMs = clock.monotonicMs()
    let sinceMs = startedMs
    const moves = this.#moves
    group.evaluatedAtMs = atMs
    for (const [nth, loaded] of group.rules.entries()) {
      if (clock.monotonicMs() - sinceMs > longestTurnMs) {
        await nextTurn()
        sinceMs = clock.monotonicMs()
      }
      if (this.#hasEnded || this.#moves !== moves) return
      evaluateRule(loaded, sourceOf(group, nth), store, atMs, clock)
    }
    group.evaluationMs = clock.monotonicMs() - startedMs
  }

  /** When others take their place: nothing is evaluated any more, and the series that these rules wrote have ended. */
  end(store: SeriesStore, atMs: number): void {
    this.#hasEnded = true
    for (const group of this.groups) {
      for (const nth of group.rules.keys()) store.append(sourceOf(group, nth), atMs, [])
    }
  }

  /** The clocks of `for` and `keep_firing_for`, to be stored; with what was resolved and nobody was told of. */
  save(isOwed: (alert: Alert) => boolean = () => false): RuleState {
    return { rules: this.#alerting().map(({ group, rule }) => rule.save(group, isOwed)) }
  }

  /** The clock was set by so much. What is being evaluated is given up: it is of a time that never was. */
  move(ms: number): void {
    this.#moves++
    for (const group of this.groups) {
      for (const moved of [group, ...group.rules]) if (moved.evaluatedAtMs !== null) moved.evaluatedAtMs += ms
    }
    for (const { rule } of this.#alerting()) rule.move(ms)
  }

  /**
   * After a reload, or a restart: then memory is empty, and for `settleMs` alerts are held as they were until scrapes show again
   * whether they are.
   */
  restore(state: RuleState, atMs: number, settleMs: number): void {
    const stored = new Map(state.rules.map(one => [keyOf(one.group, one), one]))
    for (const { group, rule } of this.#alerting()) {
      const found = stored.get(keyOf(group, rule.rule))
      if (found) rule.restore(found, atMs, atMs + settleMs)
    }
  }

  #alerting(): { group: string; rule: AlertingRule }[] {
    return this.groups.flatMap(({ name, rules }) =>
      rules.flatMap(({ rule }) => (rule.kind === 'alerting' ? [{ group: name, rule }] : [])),
    )
  }
}

function load(rule: Rule): LoadedRule | string {
  try {
    const expression = parseExpression(rule.expr)
    if (expression.type === 'range') return 'its expression gives a range; a rule needs a vector or a number'
    return {
      rule: 'alert' in rule ? new AlertingRule(rule, expression) : new RecordingRule(rule, expression),
      health: 'unknown',
      lastError: null,
      evaluationMs: 0,
      evaluatedAtMs: null,
    }
  } catch (error) {
    return (error as Error).message
  }
}

function evaluateRule(
  loaded: LoadedRule,
  source: string,
  store: SeriesStore,
  atMs: number,
  clock: Clock,
): void {
  const startedMs = clock.monotonicMs()
  try {
    const results = resultsOf(loaded.rule, store, atMs)
    store.append(source, atMs, loaded.rule.take(results, atMs))
    Object.assign(loaded, { health: 'ok', lastError: null })
  } catch (error) {
    if (!(error instanceof EvaluationFailed)) throw error
    Object.assign(loaded, { health: 'err', lastError: `${nameOf(loaded.rule.rule)}: ${error.message}` })
  }
  loaded.evaluatedAtMs = atMs
  loaded.evaluationMs = clock.monotonicMs() - startedMs
}

function resultsOf({ expression }: LoadedRule['rule'], store: SeriesStore, atMs: number): Vector {
  const value = evaluate(expression, { store, atMs })
  const results = typeof value === 'number' ? [{ labels: Labels.none, value }] : value
  if (results.length > mostResults) {
    throw new EvaluationFailed(`it gives ${results.length} results, and at most ${mostResults} are taken`)
  }
  return results
}

const nameOf = (rule: Rule): string => ('alert' in rule ? `alert ${rule.alert}` : `record ${rule.record}`)

const sourceOf = (group: LoadedGroup, nth: number): string => `rule ${group.file} ${group.name} ${nth}`

/** Rules may share a name; expression and labels tell them apart. */
const keyOf = (
  group: string,
  rule: { alert: string; expr: string; labels?: Record<string, string> | undefined },
) => JSON.stringify([group, rule.alert, rule.expr, Object.entries(rule.labels ?? {}).sort()])
