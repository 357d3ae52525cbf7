/** The process that renders: what a page holds can crash or stall this one, and not control. */
import { Highlighter } from './highlighter.ts'
import { renderPage } from './render-page.ts'
import type { ToRender } from './rendered.ts'

const highlighter = new Highlighter(process.argv[2]!)

process.on('disconnect', () => process.exit())
process.on('message', async (pages: ToRender[]) => {
  const outcomes = []
  for (const page of pages) outcomes.push(await renderPage(page, highlighter))
  process.send!(outcomes)
})
