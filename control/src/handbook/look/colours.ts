/** The colours of the handbook, beside those that every page of the environment shares. */
import { palette } from '@quarterdeck/pages'

export const colours = `${palette}
:root{--edge:#78859f;--code-string:#12673c;--code-keyword:#9a2461;--code-function:#1451b8;--code-constant:#7a4a00}
@media (prefers-color-scheme:dark){:root{--edge:#7786a5;--code-string:#7fd6a4;--code-keyword:#ff9ec4;--code-function:#8ab4ff;--code-constant:#e8bb74}}
@media print{:root{--ink:#000;--paper:#fff;--ground:#fff;--soft:#444;--line:#bbb;--link:#000}}
`
