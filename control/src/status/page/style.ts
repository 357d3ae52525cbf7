/** The look of the status page: one small sheet, inline, phone first, light and dark. */
import { palette } from '@quarterdeck/pages'

export const style = `
${palette}
:root{--warn:#8a6100;--part:#a84300;--care:#1451b8;--none:#5a6782;--up:#1a7f4b;--barup:#2f9e66}
@media (prefers-color-scheme:dark){:root{--warn:#f0c14b;--part:#ffab70;--care:#8ab4ff;--none:#9dabc6;--up:#5fd39a;--barup:#3f9d70}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.page{max-width:54rem;margin:0 auto;padding:1.25rem 1rem 3rem}
header{display:flex;align-items:center;gap:.6rem;margin-bottom:1.25rem;font-weight:600}
header a{color:inherit;text-decoration:none;overflow-wrap:anywhere}
header svg{display:block;width:1.6rem;height:1.6rem;color:var(--link)}
header nav{margin-left:auto}header nav a{color:var(--link)}
h1{font-size:1.45rem;line-height:1.3;margin:0;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:2rem 0 .6rem}
h3{font-size:1rem;margin:0;min-width:0;overflow-wrap:anywhere}
p{margin:0 0 .5rem;overflow-wrap:anywhere}
a{color:var(--link)}
.soft,.facts,.span,footer,caption{color:var(--soft)}
.shapes{position:absolute;width:0;height:0}
.shape{width:1rem;height:1rem;fill:currentColor;flex:none;align-self:center}
.in{fill:none;stroke:var(--paper);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.ring{fill:none;stroke:currentColor;stroke-width:1.6}.dash{stroke-dasharray:2.6 2.6}.hole{fill:var(--paper)}
.overall{display:flex;gap:.75rem;padding:1rem 1.1rem;background:var(--paper);border:1px solid var(--line);border-left:.4rem solid currentColor;border-radius:.75rem}
.overall .shape{width:1.9rem;height:1.9rem}
.overall h1,.overall p{color:var(--ink)}.overall p{margin:0;font-size:.87rem}
[data-status]{--state:var(--none)}
[data-status=operational]{--state:var(--up)}[data-status=degraded]{--state:var(--warn)}[data-status=partial_outage]{--state:var(--part)}
[data-status=outage]{--state:var(--bad)}[data-status=maintenance]{--state:var(--care)}
.overall{color:var(--state)}
.services{list-style:none;margin:0;padding:0;background:var(--paper);border:1px solid var(--line);border-radius:.75rem;overflow:hidden}
.services li{padding:.9rem 1rem}
.many li{content-visibility:auto;contain-intrinsic-size:auto 11rem}
.services li+li{border-top:1px solid var(--line)}
.line{display:flex;flex-wrap:wrap;gap:.1rem 1rem;justify-content:space-between;align-items:baseline}
.line h3 a{color:var(--ink);text-decoration-color:var(--line);text-underline-offset:.2em}
.state{display:flex;flex-wrap:wrap;gap:.1rem .4rem;align-items:baseline;margin:0;color:var(--state)}
.since{color:var(--soft);font-size:.87rem}
.reason{margin:.15rem 0 0;color:var(--state)}
.reason[hidden]{display:none}
.bars{position:relative;margin-top:.55rem;padding:.15rem 0;border-radius:.25rem;touch-action:pan-y}
.bars svg{display:block;width:100%;height:2rem;-webkit-mask:repeating-linear-gradient(90deg,#000 0 calc(100%/90*.72),transparent 0 calc(100%/90));mask:repeating-linear-gradient(90deg,#000 0 calc(100%/90*.72),transparent 0 calc(100%/90))}
.bars .up{fill:var(--barup)}.bars .degraded{fill:var(--warn)}.bars .down{fill:var(--bad)}.bars .maintenance{fill:var(--care)}.bars .unknown{fill:var(--none)}
.tip{position:absolute;bottom:100%;z-index:1;max-width:100%;padding:.3rem .6rem;border-radius:.4rem;background:var(--ink);color:var(--paper);font-size:.85rem;line-height:1.35;pointer-events:none}
.tip b{display:block}
.mark{position:absolute;top:0;bottom:0;width:calc(100%/90);border:1px solid var(--ink);border-radius:2px;pointer-events:none}
.span{display:flex;justify-content:space-between;margin:.1rem 0 .3rem;font-size:.8rem}
.facts{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:0;font-size:.87rem}
details{margin-top:.3rem;font-size:.87rem}
summary{width:max-content;max-width:100%;color:var(--soft);cursor:pointer;padding:.1rem 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;margin:.4rem 0;min-width:16rem}
caption{text-align:left;padding-bottom:.3rem}
th,td{text-align:left;padding:.2rem .9rem .2rem 0;border-top:1px solid var(--line);font-weight:400;vertical-align:top}
thead th{font-weight:600;border:0}
.notice{padding:.9rem 1rem;margin-bottom:.75rem;background:var(--paper);border:1px solid var(--line);border-left:.4rem solid var(--none);border-radius:.75rem}
.notice[data-impact=minor]{border-left-color:var(--warn)}.notice[data-impact=major],.notice[data-impact=critical]{border-left-color:var(--bad)}.notice[data-impact=maintenance]{border-left-color:var(--care)}
.updates{list-style:none;margin:.6rem 0 0;padding:0}
.updates li{padding:.5rem 0 0 .8rem;border-left:2px solid var(--line)}
.updates p{margin:0 0 .35rem}
.warning{padding:.7rem 1rem;border:1px solid var(--warn);border-radius:.75rem;background:var(--paper)}
.chart{display:block;width:100%;height:auto;background:var(--paper);border:1px solid var(--line);border-radius:.75rem}
.chart .grid{stroke:var(--line)}.chart text{fill:var(--soft);font-size:11px}
.chart .curve{fill:none;stroke:var(--link);stroke-width:2;stroke-linejoin:round}.chart .dot{fill:var(--link)}
.chart .deploy{stroke:var(--ink);stroke-dasharray:3 3}.chart .flag{fill:var(--ink)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1rem;margin:0;font-size:.93rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.turn{display:flex;justify-content:space-between;gap:1rem}
code{font:.9em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
footer{margin-top:2.5rem;font-size:.87rem}footer p{margin:0 0 .25rem}
#live:empty{display:none}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
@media (max-width:40rem){.chart text{font-size:18px}}
@media (min-width:40rem){.page{padding-top:2.25rem}.services li{padding:1rem 1.25rem}}
@media (prefers-reduced-motion:no-preference){[data-status] .shape{transition:color .3s}}
`
