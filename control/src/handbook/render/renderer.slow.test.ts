import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { ToRender } from './rendered.ts'
import { Renderer, type RendererOptions } from './renderer.ts'

function renderer(options: Partial<RendererOptions> = {}) {
  const made = new Renderer({ cache: temporaryDirectory(), ...options })
  onTestFinished(() => made.close())
  return made
}

const page = (path: string, text = `# ${path}`): ToRender => ({ key: path, prefix: '', path, text })

test('pages come back in order, however many; code is coloured once for all starts', async () => {
  const cache = temporaryDirectory()
  const pages = Array.from({ length: 150 }, (_, i) =>
    page(`${i}.md`, `# ${i}\n\n\`\`\`js\nlet a = ${i % 3}\n\`\`\`\n`),
  )
  const first = await renderer({ cache }).render(pages)
  expect(first.map(({ key }) => key)).toEqual(pages.map(({ key }) => key))
  expect(await renderer({ cache }).render(pages)).toEqual(first)
  expect(JSON.stringify(first[149])).toContain('t-keyword')
})

test('a page that stalls or ends the process is the only one that is lost', async () => {
  const stalling = join(import.meta.dirname, 'stalling-process-under-test.ts')
  const outcomes = await renderer({ program: stalling, limitMs: 6000 }).render([
    page('a.md'),
    page('stall.md'),
    page('b.md'),
    page('crash.md'),
    page('c.md'),
  ])
  expect(outcomes.map(outcome => ('page' in outcome ? outcome.page.title : outcome.fault.message))).toEqual([
    'a.md',
    'rendering it takes too long or needs too much memory',
    'b.md',
    'rendering it takes too long or needs too much memory',
    'c.md',
  ])
})
