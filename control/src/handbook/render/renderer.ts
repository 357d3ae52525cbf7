/**
 * Renders pages in processes of their own, which are started when there is something to render and end when there was nothing
 * for a while: control stays small, and a page that crashes or stalls one is the only one that is lost.
 */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { RenderChild } from './render-child.ts'
import type { Outcome, ToRender } from './rendered.ts'

const renderProcess = fileURLToPath(new URL('./render-process.ts', import.meta.url))
const batchPages = 40
const batchBytes = 400_000
/** For fewer batches, starting a second process takes longer than it saves. */
const worthSecond = 5

export interface RendererOptions {
  /** Where coloured code is kept. */
  cache: string
  /** How long one batch may take, and one page alone. */
  limitMs?: number
  /** What renders. */
  program?: string
}

export class Renderer {
  readonly #children: readonly RenderChild[]
  #rest: NodeJS.Timeout | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor({ cache, limitMs = 15_000, program = renderProcess }: RendererOptions) {
    const count = Math.min(2, availableParallelism())
    this.#children = Array.from({ length: count }, () => new RenderChild({ program, cache, limitMs }))
  }

  /** One call after the other. `restMs`: how long the processes then wait for more. */
  render(pages: readonly ToRender[], restMs = 1000): Promise<Outcome[]> {
    const work = this.#turn.then(() => this.#renderAll(pages, restMs))
    this.#turn = work.catch(() => undefined)
    return work
  }

  close(): void {
    clearTimeout(this.#rest)
    for (const child of this.#children) child.close()
  }

  async #renderAll(pages: readonly ToRender[], restMs: number): Promise<Outcome[]> {
    if (pages.length === 0) return []
    clearTimeout(this.#rest)
    const batches = batchesOf(pages)
    const outcomes: Outcome[][] = []
    let next = 0
    const work = async (child: RenderChild) => {
      while (next < batches.length) {
        const at = next++
        outcomes[at] = await renderBatch(child, batches[at]!)
      }
    }
    const wanted = batches.length < worthSecond ? 1 : this.#children.length
    await Promise.all(this.#children.slice(0, wanted).map(work))
    this.#rest = setTimeout(() => this.close(), restMs).unref()
    return outcomes.flat()
  }
}

/** If the process is lost over a batch, its pages are tried one by one: which is to blame shows then. */
async function renderBatch(child: RenderChild, batch: readonly ToRender[]): Promise<Outcome[]> {
  const done = await child.render(batch)
  if (done) return done
  const outcomes: Outcome[] = []
  for (const page of batch) {
    const fault = { line: null, message: 'rendering it takes too long or needs too much memory' }
    outcomes.push((await child.render([page]))?.[0] ?? { key: page.key, fault })
  }
  return outcomes
}

function batchesOf(pages: readonly ToRender[]): ToRender[][] {
  const batches: ToRender[][] = []
  let bytes = batchBytes
  for (const page of pages) {
    if (bytes >= batchBytes || batches.at(-1)!.length >= batchPages) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)!.push(page)
    bytes += page.text.length
  }
  return batches
}
