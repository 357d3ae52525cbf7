/** The frame of the handbook’s pages: bar, list of pages, and what is shown. */
import { type Html, html, icon, mark, Html as Raw } from '@quarterdeck/pages'
import type { About } from '../about.ts'
import type { Assets } from './assets.ts'

export interface Framed {
  about: About
  assets: Assets
  title: string
  description?: string | null
  /** Its address, for whoever found it under another one. */
  canonical?: string
  /** The address of its Markdown. */
  markdown?: string
  query?: string
  /** The page itself finds, without asking. */
  findsInPage: boolean
  main: Html
  pages: Html
  contents?: Html | undefined
}

/** Nothing but what the handbook itself serves: no inline script or style, no outside request, no frame. */
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

export function frame({
  about,
  assets,
  title,
  description,
  canonical,
  markdown,
  query,
  findsInPage,
  main,
  pages,
  contents,
}: Framed): string {
  const name = title === about.title ? title : `${title} · ${about.title}`
  return `<!doctype html>\n${html`<html lang="${about.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
${description && html`<meta name="description" content="${description}">\n`}<link rel="icon" href="${new Raw(icon)}">
<link rel="stylesheet" href="${assets.style}">
${canonical && html`<link rel="canonical" href="${canonical}">\n`}${markdown && html`<link rel="alternate" type="text/markdown" href="${markdown}">\n`}<link rel="alternate" type="application/atom+xml" title="Changes" href="/feed.atom">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<div class="brand">${mark}<a href="${about.homeUrl}">Quarterdeck</a><a class="site" href="/">${about.title}</a></div>
<a class="to-pages" href="#pages">All pages</a>
<form action="/search" role="search"${findsInPage && html` data-finder="${assets.finder}" data-index="/index.json"`}><input type="search" name="q" value="${query ?? ''}" maxlength="200" aria-label="Search the handbook" placeholder="Search, or press /"></form>
</header>
<div class="columns">
<main id="content">
${main}
</main>
${contents}<nav class="pages" id="pages" aria-label="Pages">
${pages}
</nav>
</div>
<footer class="foot">Build <code>${about.sha.slice(0, 12)}</code></footer>
</body>
</html>`}\n`
}
