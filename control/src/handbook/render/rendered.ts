/** What a page becomes, and what it is made from. It goes between two processes, so it is plain data. */
import type { HandbookSection } from '@quarterdeck/contract'
import type { FrontMatter } from '../front-matter.ts'

export interface ToRender {
  readonly key: string
  readonly prefix: string
  readonly path: string
  readonly text: string
}

export interface PageLink {
  /** Path in the site, without the anchor: `/deploying`. */
  readonly to: string
  readonly anchor: string
  /** As it was written. */
  readonly written: string
  readonly line: number
}

export interface Rendered {
  readonly meta: FrontMatter
  readonly title: string
  readonly html: string
  readonly sections: readonly HandbookSection[]
  readonly anchors: readonly string[]
  readonly links: readonly PageLink[]
  readonly words: number
  readonly problems: readonly { line: number; message: string }[]
}

export type Outcome =
  | { readonly key: string; readonly page: Rendered }
  | { readonly key: string; readonly fault: { line: number | null; message: string } }
