/** The functions that change each value of a vector by itself. */

export interface ValueFunction {
  /** Numbers that it takes besides the vector. */
  readonly least: number
  readonly most: number
  compute(value: number, first: number, second: number): number
}

export const valueFunctions = new Map<string, ValueFunction>([
  ['abs', plain(Math.abs)],
  ['ceil', plain(Math.ceil)],
  ['floor', plain(Math.floor)],
  ['sqrt', plain(Math.sqrt)],
  ['exp', plain(Math.exp)],
  ['ln', plain(Math.log)],
  ['log2', plain(Math.log2)],
  ['log10', plain(Math.log10)],
  ['sgn', plain(Math.sign)],
  ['round', { least: 0, most: 1, compute: (value, to = 1) => Math.floor(value * (1 / to) + 0.5) / (1 / to) }],
  ['clamp_min', { least: 1, most: 1, compute: (value, least) => Math.max(least, value) }],
  ['clamp_max', { least: 1, most: 1, compute: (value, most) => Math.min(most, value) }],
  ['clamp', { least: 2, most: 2, compute: (value, least, most) => Math.max(least, Math.min(most, value)) }],
])

function plain(compute: (value: number) => number): ValueFunction {
  return { least: 0, most: 0, compute }
}
