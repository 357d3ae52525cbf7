/** From sources to a site: only what has changed is rendered, and what cannot be rendered stays as it last was. */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expand, IncludeFault } from './includes.ts'
import { idOf } from './page-id.ts'
import type { Outcome, Rendered, ToRender } from './render/rendered.ts'
import { assemble, type Entry, type Site } from './site.ts'
import { fileOf, limits, type Problem, type Source, type SourceFile } from './source.ts'

export interface Rendering {
  render(pages: readonly ToRender[], restMs?: number): Promise<Outcome[]>
}

/** A page as it is now, beside the way it was last shown. */
interface Draft extends Omit<Entry, 'rendered'> {
  readonly key: string
  readonly rendered: Rendered | undefined
}

const turnMs = 10

export class Builder {
  readonly #rendering: Rendering
  #entries = new Map<string, Entry>()
  readonly #hashes = new WeakMap<SourceFile, string>()

  constructor(rendering: Rendering) {
    this.#rendering = rendering
  }

  async build(sources: readonly Source[], restMs?: number): Promise<Site> {
    const problems: Problem[] = sources.flatMap(source => source.problems)
    const drafts = await this.#drafts(sources, problems)
    const toRender = drafts.filter(({ rendered }) => rendered === undefined)
    const outcomes = await this.#rendering.render(toRender.map(pageOf), restMs)
    const rendered = new Map(outcomes.map(outcome => [outcome.key, outcome]))
    const before = this.#entries
    this.#entries = new Map()
    for (const draft of drafts) {
      const outcome = rendered.get(draft.key)
      const entry = outcome ? ended(draft, outcome, before.get(draft.key), problems) : (draft as Entry)
      if (entry) this.#entries.set(draft.key, entry)
    }
    for (const { source, file, rendered, origins } of this.#entries.values())
      for (const { line, message } of rendered.problems)
        problems.push({ ...placeOf(source, file, line, origins), message })
    const site = assemble([...this.#entries.values()], sources)
    return { ...site, problems: [...problems, ...site.problems] }
  }

  async #drafts(sources: readonly Source[], problems: Problem[]): Promise<Draft[]> {
    const drafts: Draft[] = []
    let since = performance.now()
    for (const source of sources) {
      for (const file of source.files.values()) {
        const draft = isPart(file.path) ? undefined : this.#draft(source, file, problems)
        if (draft) drafts.push(draft)
        if (performance.now() - since < turnMs) continue
        await nextTurn()
        since = performance.now()
      }
    }
    if (drafts.length <= limits.files) return drafts
    const message = `the handbook has more than ${limits.files} pages: the rest is left out`
    problems.push({ file: sources.at(-1)!.name, line: null, message })
    return drafts.slice(0, limits.files)
  }

  #draft(source: Source, file: SourceFile, problems: Problem[]): Draft | undefined {
    const key = `${source.name}\n${file.path}`
    const before = this.#entries.get(key)
    try {
      const { text, origins } = expand(file, source.files)
      const hash = origins ? hashOf(text) : this.#hashOf(file)
      if (before?.hash === hash && before.updatedAt === file.updatedAt && before.source === source)
        return { ...before, key }
      const same = before?.hash === hash ? before.rendered : undefined
      const id = idOf(source.prefix, file.path)
      return {
        key,
        source,
        file: file.path,
        id,
        text,
        hash,
        updatedAt: file.updatedAt,
        origins,
        rendered: same,
      }
    } catch (error) {
      if (!(error instanceof IncludeFault)) throw error
      problems.push({ ...placeOf(source, error.path, error.line), message: error.message })
      return before && { ...before, key }
    }
  }

  #hashOf(file: SourceFile): string {
    const hash = this.#hashes.get(file) ?? hashOf(file.text)
    this.#hashes.set(file, hash)
    return hash
  }
}

/** Files that are only there to be put into others. */
const isPart = (path: string) => path.split('/').some(part => part.startsWith('_'))

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const pageOf = ({ key, source, file, text }: Draft): ToRender => ({
  key,
  prefix: source.prefix,
  path: file,
  text,
})

function ended(
  draft: Draft,
  outcome: Outcome,
  before: Entry | undefined,
  problems: Problem[],
): Entry | undefined {
  if ('page' in outcome) return { ...draft, rendered: outcome.page }
  const { line, message } = outcome.fault
  problems.push({ ...placeOf(draft.source, draft.file, line, draft.origins), message })
  return before
}

/** Where a line of a page really stands. */
export function placeOf(
  source: Source,
  file: string,
  line: number | null,
  origins: Entry['origins'] = null,
): Pick<Problem, 'file' | 'line'> {
  const origin = line === null ? undefined : origins?.[line - 1]
  return origin
    ? { file: fileOf(source, origin.path), line: origin.line }
    : { file: fileOf(source, file), line }
}
