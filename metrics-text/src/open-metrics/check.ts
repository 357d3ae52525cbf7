/** What OpenMetrics demands beyond its grammar: families whole, together and with names of their own. */
import type { Metadata, Page, Sample } from '../page.ts'
import { PageError } from '../page-error.ts'
import { isOf, type OpenFamily, type OpenType, samplesOf } from './family.ts'
import { checkPoints } from './points.ts'

/** Throws a {@link PageError} on the first thing that is wrong. */
export function checkOpenMetrics({ metadata, samples }: Page): void {
  const families = new Families()
  let next = 0
  for (const sample of samples) {
    while (next < metadata.length && metadata[next]!.line < sample.line) families.describe(metadata[next++]!)
    families.add(sample)
  }
  while (next < metadata.length) families.describe(metadata[next++]!)
  families.close()
}

class Families {
  readonly #families = new Set<string>()
  /** The names that samples can have, with the family whose they are. */
  readonly #sampleNames = new Map<string, OpenFamily>()
  #current: OpenFamily | undefined

  describe({ keyword, name, text, line }: Metadata): void {
    if (this.#current?.name !== name) this.#open(name, line)
    const family = this.#current!
    if (family.samples.length > 0) throw new PageError(`${keyword} of ${name} comes after its samples`, line)
    if (family.said.has(keyword)) throw new PageError(`${name} has ${keyword} twice`, line)
    family.said.add(keyword)
    if (keyword === 'TYPE') family.type = text as OpenType
    if (keyword === 'UNIT') family.unit = text
  }

  add(sample: Sample): void {
    const { name } = sample.series
    const current = this.#current
    if (!current || !isOf(current, name)) {
      if (current?.name === name)
        throw new PageError(
          `${name} is of type ${current.type}, whose samples are ${samplesOf(current).join(', ')}`,
          sample.line,
        )
      this.#open(name, sample.line)
    }
    this.#current!.samples.push(sample)
  }

  close(): void {
    const family = this.#current
    if (!family) return
    checkUnit(family)
    for (const name of samplesOf(family)) {
      const other = this.#sampleNames.get(name)
      if (other)
        throw new PageError(
          `${name} would be a sample of both ${family.name} and ${other.name}: rename one of them`,
          family.line,
        )
      this.#sampleNames.set(name, family)
    }
    checkPoints(family)
  }

  #open(name: string, line: number): void {
    this.close()
    if (this.#families.has(name)) throw new PageError(`the lines of ${name} are not together`, line)
    const other = this.#sampleNames.get(name)
    if (other)
      throw new PageError(
        `${name} is a sample of the ${other.type} ${other.name}, whose lines are not together with it`,
        line,
      )
    this.#families.add(name)
    this.#current = { name, type: 'unknown', unit: '', line, said: new Set(), samples: [] }
  }
}

function checkUnit({ name, type, unit, line }: OpenFamily): void {
  if (unit === '') return
  if (type === 'info' || type === 'stateset')
    throw new PageError(`${name} is of type ${type}, which has no unit`, line)
  if (!name.endsWith(`_${unit}`))
    throw new PageError(`the unit of ${name} is ${unit}, but its name does not end in _${unit}`, line)
}
