/** The last 90 days as bars, whose height tells the state as their colour does, and the same as a table. */
import { type Html, html } from '@quarterdeck/pages'
import { type DayRun, type DayState, stateWord } from './day-runs.ts'
import { words } from './words.ts'

/** Of 20: what is worse stands out higher. */
const heights: Record<DayState, number> = { unknown: 4, up: 12, maintenance: 8, degraded: 16, down: 20 }

export function bars(name: string, runs: readonly DayRun[]): Html {
  let at = 0
  const drawn = runs.map(({ state, count }) => {
    const [x, height] = [at, heights[state]]
    at += count
    return html`<path class="${state}" d="M${x} 20h${count}v-${height}h-${count}z"/>`
  })
  return html`<div class="bars" data-from="${runs[0]?.from}" data-label="${words.barsOf(name)}"><svg viewBox="0 0 ${at} 20" preserveAspectRatio="none" aria-hidden="true">${drawn}</svg></div>
<p class="span" aria-hidden="true"><span>${words.ago90}</span><span>${words.today}</span></p>`
}

export const dayTable = (name: string, runs: readonly DayRun[], isOpen = false): Html =>
  html`<details${isOpen ? html` open` : ''}><summary>${words.days}</summary>
<div class="scroll"><table><caption>${words.daysOf(name)}</caption>
<thead><tr><th scope="col">${words.day}</th><th scope="col">${words.state}</th><th scope="col">${words.details}</th></tr></thead>
<tbody>${runs.map(
    ({ from, to, count, state, details }) =>
      html`<tr data-n="${count}"><th scope="row">${words.date(from)}${from === to ? '' : ` – ${words.date(to)}`}</th><td>${stateWord(state)}</td><td>${details}</td></tr>`,
  )}</tbody></table></div></details>`
