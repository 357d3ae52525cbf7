/** The labels of a series, sorted by name. Objects are kept and shared, so that what is derived from one is derived once. */

export const metricName = '__name__'

export class Labels {
  static readonly none = new Labels([], [])

  readonly names: readonly string[]
  readonly values: readonly string[]
  #key: string | undefined
  #withoutName: Labels | undefined

  /** `names` are sorted and differ, no value is empty: use `labelsOf` for anything else. */
  constructor(names: readonly string[], values: readonly string[]) {
    this.names = names
    this.values = values
  }

  /** The same for the same labels, and different for different ones, whatever characters values hold. */
  get key(): string {
    this.#key ??= this.names.map((name, i) => `${name}${sized(this.values[i]!)}`).join('')
    return this.#key
  }

  /** Empty for a label that is not there, as Prometheus has it. */
  get(name: string): string {
    const at = this.names.indexOf(name)
    return at < 0 ? '' : this.values[at]!
  }

  withoutName(): Labels {
    this.#withoutName ??= this.names.includes(metricName) ? this.without([metricName]) : this
    return this.#withoutName
  }

  only(names: readonly string[]): Labels {
    return this.#where(name => names.includes(name))
  }

  without(names: readonly string[]): Labels {
    return this.#where(name => !names.includes(name))
  }

  /** An empty value takes the label away. */
  with(changes: Readonly<Record<string, string>>): Labels {
    return labelsOf({ ...this.record(), ...changes })
  }

  record(): Record<string, string> {
    return Object.fromEntries(this.names.map((name, i) => [name, this.values[i]!]))
  }

  #where(isKept: (name: string) => boolean): Labels {
    const names: string[] = []
    const values: string[] = []
    this.names.forEach((name, i) => {
      if (!isKept(name)) return
      names.push(name)
      values.push(this.values[i]!)
    })
    return new Labels(names, values)
  }
}

export function labelsOf(record: Readonly<Record<string, string>>): Labels {
  const names = Object.keys(record)
    .filter(name => record[name] !== '')
    .sort()
  return new Labels(
    names,
    names.map(name => record[name]!),
  )
}

/** Which group of a matching or an aggregation labels belong to, by the values of some of them. */
export const valuesKey = (labels: Labels, names: readonly string[]): string =>
  names.length === 1 ? labels.get(names[0]!) : names.map(name => sized(labels.get(name))).join('')

/** With its length before it, no text runs into the next. */
const sized = (text: string): string => `\0${text.length}:${text}`
