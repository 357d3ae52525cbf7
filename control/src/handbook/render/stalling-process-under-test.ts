/** Renders as the real process does, except that some pages stall it and some end it. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Highlighter } from './highlighter.ts'
import { renderPage } from './render-page.ts'
import type { ToRender } from './rendered.ts'

const highlighter = new Highlighter(process.argv[2] ?? join(tmpdir(), 'none'))

process.on('message', async (pages: ToRender[]) => {
  const paths = pages.map(({ path }) => path)
  if (paths.includes('crash.md')) process.exit(1)
  while (paths.includes('stall.md')) Math.sqrt(2)
  process.send!(await Promise.all(pages.map(page => renderPage(page, highlighter))))
})
