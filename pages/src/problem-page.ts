/** An error for people: what happened, what to do, and the id under which the log has it. */
import { errors, type Problem } from '@quarterdeck/contract'
import { html } from './html.ts'
import { page } from './page.ts'

export function problemPage(problem: Problem, homeUrl: string, sha: string): string {
  return page({
    title: `${problem.title} · Quarterdeck`,
    homeUrl,
    sha,
    body: html`<h1>${problem.title}</h1>
<p class="lead">${problem.detail}</p>
<p>${withCode(errors[problem.code].remedy)}</p>
<dl>
<dt>Status</dt><dd>${problem.status}</dd>
<dt>Code</dt><dd><code>${problem.code}</code></dd>
<dt>Request</dt><dd><code>${problem.request_id}</code></dd>
</dl>`,
  })
}

/** What the catalogue puts in backticks, as code. */
const withCode = (text: string) =>
  text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))
