/** The frame of every page of the status host, and the policy that it is sent under. */
import { createHash } from 'node:crypto'
import type { Status } from '@quarterdeck/contract'
import { Html, html, icon, mark } from '@quarterdeck/pages'
import type { PublishedHeaders } from '#http'
import { script } from './script.ts'
import { shapes } from './shapes.ts'
import { style } from './style.ts'
import { words } from './words.ts'

/** This very sheet, our own script and events: nothing else, from nowhere else. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ')

export const pageHeaders = (more: Readonly<Record<string, string>> = {}): PublishedHeaders => ({
  type: 'text/html; charset=utf-8',
  cacheControl: 'max-age=0, must-revalidate',
  more: {
    'content-security-policy': policy,
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    ...more,
  },
})

export interface Frame {
  readonly page: Status['page']
  readonly title: string
  /** Where the mark at the top leads: the environment's front page. */
  readonly homeUrl: string
  readonly body: Html
  /** Where what is new is told from on. */
  readonly place: string
  /** Above everything, when what is shown may be old. */
  readonly warning?: string | undefined
}

/** What the script says. */
const spoken = JSON.stringify({
  status: words.serviceStatus,
  since: words.since,
  live: words.live,
  notLive: words.notLive,
})

export function framed({ page, title, homeUrl, body, place, warning }: Frame): string {
  return `<!doctype html>\n${html`<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${new Html(icon)}">
<link rel="alternate" type="application/atom+xml" title="${words.feedTitle(page.name)}" href="/feed.atom">
<link rel="alternate" type="application/json" href="/status.json">
<style>${new Html(style)}</style>
<script type="module" src="${script.path}"></script>
</head>
<body data-place="${place}" data-words="${spoken}">
${shapes}
<div class="page">
<header><a href="${homeUrl}" aria-label="${words.home}">${mark}</a><a href="/">${page.name}</a><nav><a href="/history">${words.history}</a></nav></header>
${warning !== undefined && html`<p class="warning" role="alert">${warning}</p>`}
<main>
${body}
</main>
<footer><p id="live" role="status"></p><p>${words.timesIn}</p><p><a href="/feed.atom">${words.feed}</a> · <a href="/status.json">${words.json}</a> · Quarterdeck</p></footer>
</div>
</body>
</html>`}\n`
}
