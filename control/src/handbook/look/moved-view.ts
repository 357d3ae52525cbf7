/** A page that has moved, as a file: where nobody answers with a redirect. */
import { html } from '@quarterdeck/pages'
import type { About } from '../about.ts'
import type { Page } from '../site.ts'

export const movedView = ({ path, rendered: { title } }: Page, { language, url }: About): string =>
  `<!doctype html>\n${html`<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta http-equiv="refresh" content="0; url=${path}">
<link rel="canonical" href="${url}${path}">
</head>
<body><p>This page has moved to <a href="${path}">${title}</a>.</p></body>
</html>`}\n`
