/** Sources and a builder for tests: real rendering, in this process. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { Builder } from './build.ts'
import { problemText } from './handbook.ts'
import { Highlighter } from './render/highlighter.ts'
import { renderPage } from './render/render-page.ts'
import type { Site } from './site.ts'
import type { Source, SourceFile } from './source.ts'

export function source(texts: Record<string, string>, more: Partial<Source> = {}): Source {
  const files = new Map<string, SourceFile>()
  for (const [path, text] of Object.entries(texts))
    files.set(path, { path, text, updatedAt: '2026-03-01T10:00:00Z' })
  return { name: 'pages', prefix: '', files, problems: [], ...more }
}

export function builder(): Builder {
  const highlighter = new Highlighter(temporaryDirectory())
  return new Builder({ render: pages => Promise.all(pages.map(page => renderPage(page, highlighter))) })
}

export const problemsOf = ({ problems }: Pick<Site, 'problems'>): string[] => problems.map(problemText)

export function folderOf(texts: Record<string, string | Buffer>): string {
  const folder = temporaryDirectory()
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
