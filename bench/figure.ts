/** A figure: what is measured, against which peer or limit of the same run, and where the line is. */
export interface Figure {
  name: string
  /** What the ratio is, and which side of the line is good. */
  goal: string
  measure(): Promise<Measured>
}

export interface Measured {
  reached: boolean
  /** The ratio or figure, as it is printed. */
  value: string
  /** What it was made from. */
  details: string
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1]!
