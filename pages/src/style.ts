/** The look of every plain page: one small sheet, inline, so that a page is one request. */
import { createHash } from 'node:crypto'

/** The colours, in light and dark, which every page of the environment shares. */
export const palette = `:root{color-scheme:light dark;--ink:#14213a;--soft:#5a6782;--line:#d9dfea;--paper:#fff;--ground:#f3f5f9;--link:#1451b8;--good:#1a7f4b;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e8edf7;--soft:#9dabc6;--line:#2b3853;--paper:#151f35;--ground:#0d1526;--link:#8ab4ff;--good:#5fd39a;--bad:#ff8a80}}`

export const style = `
${palette}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.page{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 3rem}
header{display:flex;align-items:center;gap:.6rem;margin-bottom:1.75rem;font-weight:600}
header a{color:inherit;text-decoration:none}
header svg{width:1.6rem;height:1.6rem;color:var(--link);flex:none}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.05rem;margin:2rem 0 .6rem}
p{margin:0 0 .9rem}
a{color:var(--link)}
.lead,.soft{color:var(--soft)}
.cards{list-style:none;margin:0;padding:0;background:var(--paper);border:1px solid var(--line);border-radius:.75rem;overflow:hidden}
.cards li{display:grid;grid-template-columns:1fr auto;gap:.1rem 1rem;padding:.85rem 1.1rem}
.cards li+li{border-top:1px solid var(--line)}
.cards a{font-weight:600;overflow-wrap:anywhere}
.cards p{grid-column:1/-1;margin:0;color:var(--soft);font-size:.93rem}
.state{white-space:nowrap;font-size:.93rem}
.state::before{content:"";display:inline-block;width:.6rem;height:.6rem;margin-right:.4rem;border-radius:50%;background:currentColor}
.good{color:var(--good)}
.bad{color:var(--bad)}
.bad::before{border-radius:0;transform:rotate(45deg)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1rem;margin:1.25rem 0 0;font-size:.93rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
code{font:.9em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
footer{margin-top:2.5rem;color:var(--soft);font-size:.87rem}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
@media (max-width:30rem){.page{padding-top:1.5rem}dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}}
`

/** Nothing but this very sheet: no script, no outside request, no frame. */
export const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
