/** Latency over a day, with the deploys in it, as a picture made here, and the same as a table. */
import { type Html, html } from '@quarterdeck/pages'
import { moment } from './moment.ts'
import { words } from './words.ts'

const [width, height] = [720, 220]
const inner = { left: 72, right: 12, top: 22, bottom: 26 }
/** A longer silence between two points is not bridged. */
const gapS = 900

export interface ChartPoint {
  /** Seconds since 1970. */
  readonly at: number
  readonly p95: number | null
}

export interface Chart {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly points: readonly ChartPoint[]
  /** When something was deployed: seconds since 1970. */
  readonly deploys: readonly { at: number; sha: string | null }[]
}

export function latencyChart({ name, from, to, points, deploys }: Chart): Html {
  const known = points.filter((point): point is { at: number; p95: number } => point.p95 !== null)
  if (known.length === 0) return html`<p class="soft">${words.noChart}</p>`
  const top = ceiling(Math.max(...known.map(({ p95 }) => p95)))
  const x = (at: number) =>
    round(inner.left + ((at - from) / (to - from)) * (width - inner.left - inner.right))
  const y = (ms: number) => round(height - inner.bottom - (ms / top) * (height - inner.top - inner.bottom))
  const lines = [0, top / 2, top].map(
    ms =>
      html`<path class="grid" d="M${inner.left} ${y(ms)}H${width - inner.right}"/><text x="${inner.left - 6}" y="${y(ms) + 4}" text-anchor="end">${words.milliseconds(ms)}</text>`,
  )
  const hours = [0, 6, 12, 18, 24].map(hour => {
    const at = from + hour * 3600
    const anchor = hour === 0 ? 'start' : hour === 24 ? 'end' : 'middle'
    return html`<text x="${x(at)}" y="${height - 8}" text-anchor="${anchor}">${isoOf(at).slice(11, 16)} UTC</text>`
  })
  const marks = deploys.map(
    ({ at, sha }) =>
      html`<g><title>${words.deployMark} ${sha?.slice(0, 7)} ${words.moment(isoOf(at))}</title><path class="deploy" d="M${x(at)} ${inner.top - 8}V${height - inner.bottom}"/><path class="flag" d="M${x(at) - 5} ${inner.top - 14}h10l-5 8z"/></g>`,
  )
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${words.latencyOf(name)}">
${lines}${hours}${marks}
${curves(known).map(curve =>
  curve.length === 1
    ? html`<circle class="dot" cx="${x(curve[0]!.at)}" cy="${y(curve[0]!.p95)}" r="2"/>`
    : html`<path class="curve" d="M${curve.map(({ at, p95 }) => `${x(at)} ${y(p95)}`).join('L')}"/>`,
)}
</svg>
${table(known, deploys)}`
}

function curves<P extends ChartPoint>(points: readonly P[]): P[][] {
  const all: P[][] = []
  for (const point of points) {
    const curve = all.at(-1)
    if (curve && point.at - curve.at(-1)!.at <= gapS) curve.push(point)
    else all.push([point])
  }
  return all
}

/** By the hour: the worst in it. */
function table(points: readonly { at: number; p95: number }[], deploys: Chart['deploys']): Html {
  const hours = Map.groupBy(points, ({ at }) => at - (at % 3600))
  return html`<details><summary>${words.latencyTable}</summary><div class="scroll"><table>
<thead><tr><th scope="col">${words.hour}</th><th scope="col">p95</th><th scope="col">${words.deployMark}</th></tr></thead>
<tbody>${[...hours].map(([hour, own]) => {
    const inHour = deploys.filter(({ at }) => at >= hour && at < hour + 3600)
    return html`<tr><th scope="row">${moment(isoOf(hour))}</th><td>${words.milliseconds(Math.max(...own.map(({ p95 }) => p95)))}</td><td>${inHour.map(({ at, sha }) => html`<code>${sha?.slice(0, 7)}</code> ${moment(isoOf(at))} `)}</td></tr>`
  })}</tbody></table></div></details>`
}

/** The next of 1, 2 or 5 times a power of ten. */
function ceiling(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 1)))
  return [1, 2, 5, 10].map(factor => factor * power).find(value => value >= ms)!
}

const round = (value: number) => Math.round(value * 10) / 10

const isoOf = (second: number) => new Date(second * 1000).toISOString().replace('.000Z', 'Z')
