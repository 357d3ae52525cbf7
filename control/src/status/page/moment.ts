/** A time: in UTC as it is sent, in the reader's own zone when the script has seen it. */
import { type Html, html } from '@quarterdeck/pages'
import { words } from './words.ts'

export const moment = (iso: string): Html => html`<time datetime="${iso}">${words.moment(iso)}</time>`
