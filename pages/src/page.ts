/** The frame of every plain page. */
import { Html, html } from './html.ts'
import { style } from './style.ts'

export interface Page {
  title: string
  /** Where the name at the top leads: the front page. */
  homeUrl: string
  body: Html
  /** The commit that made the page. */
  sha: string
}

/** A ship's wheel. */
export const mark = html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-linecap="round" aria-hidden="true"><circle cx="12" cy="12" r="6.5" stroke-width="2"/><circle cx="12" cy="12" r="1.8" fill="currentColor" stroke="none"/><path stroke-width="2.4" d="M12 1.5v3M12 19.5v3M1.5 12h3M19.5 12h3M4.6 4.6l2 2M17.4 17.4l2 2M19.4 4.6l-2 2M6.6 17.4l-2 2"/><path stroke-width="1" d="M12 6v12M6 12h12M7.8 7.8l8.4 8.4M16.2 7.8l-8.4 8.4"/></svg>`

/** The same, for a browser's tab. */
export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%231451b8' stroke-width='2'%3E%3Ccircle cx='12' cy='12' r='6'/%3E%3Cpath d='M12 1v22M1 12h22M4.2 4.2l15.6 15.6M19.8 4.2L4.2 19.8'/%3E%3C/svg%3E"

export function page({ title, homeUrl, body, sha }: Page): string {
  return `<!doctype html>\n${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${new Html(icon)}">
<style>${new Html(style)}</style>
</head>
<body>
<div class="page">
<header>${mark}<a href="${homeUrl}">Quarterdeck</a></header>
<main>
${body}
</main>
<footer>Build <code>${sha.slice(0, 12)}</code></footer>
</div>
</body>
</html>`}\n`
}
