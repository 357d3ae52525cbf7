/** What has been, month by month. */
import type { Incident, Maintenance } from '@quarterdeck/contract'
import { type Html, html } from '@quarterdeck/pages'
import { type NameOf, noticeArticle } from './notice-section.ts'
import { words } from './words.ts'

export interface HistoryPage {
  /** Such as `2026-03`. */
  readonly month: string
  /** Newest first. */
  readonly notices: readonly (Incident | Maintenance)[]
  /** Null: there is none to show. */
  readonly older: string | null
  readonly newer: string | null
  readonly nameOf: NameOf
}

export const historyPage = ({ month, notices, older, newer, nameOf }: HistoryPage): Html =>
  html`<p><a href="/">← ${words.front}</a></p>
<h1>${words.historyOf(words.month(month))}</h1>
<section id="notices"><h2>${words.notices}</h2>${
    notices.length === 0
      ? html`<p class="soft">${words.noneInMonth}</p>`
      : notices.map(notice => noticeArticle(notice, nameOf))
  }</section>
<nav class="turn" aria-label="${words.history}">${turn(older, words.older)}${turn(newer, words.newer)}</nav>`

const turn = (month: string | null, label: string): Html =>
  month === null ? html`<span></span>` : html`<a href="/history/${month}">${label}: ${words.month(month)}</a>`

const pattern = /^(\d{4})-(0[1-9]|1[0-2])$/

export const isMonth = (text: string): boolean => pattern.test(text)

/** So many months further. */
export function monthAfter(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number)
  return new Date(Date.UTC(year!, number! - 1 + count, 1)).toISOString().slice(0, 7)
}
