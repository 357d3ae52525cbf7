/** Why an expression is not evaluated, and where in its text the reason is. */

export class ExpressionRefused extends Error {
  /** Where in the text, from 0. */
  readonly at: number

  constructor(text: string, at: number, problem: string) {
    super(`${problem} (${place(text, at)})`)
    this.name = 'ExpressionRefused'
    this.at = at
  }
}

/** An evaluation that had to be given up. */
export class EvaluationFailed extends Error {
  override name = 'EvaluationFailed'
}

/** What is refused here is no mistake: another engine has it. */
export const onlyPrometheus = (what: string): string =>
  `${what} is not known to the embedded metrics engine. The Prometheus engine can evaluate it; here, write the expression without it`

function place(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}
