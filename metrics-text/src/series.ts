/** One series: its text as it stands in a page, read once, its labels only when somebody asks for them. */
import { passLabels, placeCount, places } from './labels.ts'
import { unescaped } from './page.ts'

const unlimited = { samples: Infinity, labels: Infinity, labelLength: Infinity }

export class Series {
  /** `name{label="value"}`, as the page has it. */
  readonly text: string
  readonly name: string
  #labels: ReadonlyMap<string, string> | undefined
  #canonical: { without: string; text: string } | undefined

  constructor(text: string, name: string) {
    this.text = text
    this.name = name
  }

  /** Without those that are empty: they are as if they were not there. */
  get labels(): ReadonlyMap<string, string> {
    this.#labels ??= labelsIn(this.text, this.name.length)
    return this.#labels
  }

  /** The same for the same labels in whichever order, one of them left out. */
  labelsWithout(label: string): string {
    if (this.#canonical?.without !== label)
      this.#canonical = { without: label, text: canonical(this.labels, label) }
    return this.#canonical.text
  }

  /** The same for the same series, however it is written. */
  get identity(): string {
    return this.name + this.labelsWithout('')
  }
}

function labelsIn(text: string, nameLength: number): ReadonlyMap<string, string> {
  const start = text.indexOf('{', nameLength)
  return start < 0 ? none : labelsAt(text, start, text.length)
}

const none: ReadonlyMap<string, string> = new Map()

/** Of a text whose labels have been passed before. */
export function labelsAt(text: string, start: number, end: number): ReadonlyMap<string, string> {
  passLabels(text, start, end, false, unlimited)
  const labels = new Map<string, string>()
  for (let i = 0; i < placeCount; i += 4) {
    const value = text.slice(places[i + 2], places[i + 3])
    if (value !== '') labels.set(text.slice(places[i], places[i + 1]), unescaped(value))
  }
  return labels
}

function canonical(labels: ReadonlyMap<string, string>, without: string): string {
  const kept = [...labels].filter(([name]) => name !== without)
  if (kept.length === 0) return ''
  return JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1)))
}
