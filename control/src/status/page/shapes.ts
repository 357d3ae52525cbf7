/** The states as shapes, so that nobody needs colours to tell them apart: drawn once in a page, and used by name. */
import type { Indicator, ServiceStatus } from '@quarterdeck/contract'
import { Html, html } from '@quarterdeck/pages'

/** A tick in a disc, a triangle, a half disc, a cross in a square, a spanner's nut, a ring. */
export const shapes = new Html(`<svg class="shapes" aria-hidden="true">
<symbol id="operational" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7"/><path d="M4.5 8.2l2.4 2.4 4.6-5" class="in"/></symbol>
<symbol id="degraded" viewBox="0 0 16 16"><path d="M8 1.2l7.2 13.3H.8z"/><path d="M8 6v4M8 12.1v.3" class="in"/></symbol>
<symbol id="partial_outage" viewBox="0 0 16 16"><path d="M8 1a7 7 0 0 1 0 14z"/><circle cx="8" cy="8" r="6.2" class="ring"/></symbol>
<symbol id="outage" viewBox="0 0 16 16"><rect x="1" y="1" width="14" height="14" rx="2"/><path d="M5 5l6 6M11 5l-6 6" class="in"/></symbol>
<symbol id="maintenance" viewBox="0 0 16 16"><path d="M4.5 1.5h7L15 8l-3.5 6.5h-7L1 8z"/><circle cx="8" cy="8" r="2.4" class="hole"/></symbol>
<symbol id="unknown" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.2" class="ring dash"/></symbol>
</svg>`)

export const shape = (status: ServiceStatus): Html =>
  html`<svg class="shape" aria-hidden="true"><use href="#${status}"/></svg>`

/** What stands for all services together. */
export const statusOf: Record<Indicator, ServiceStatus> = {
  none: 'operational',
  minor: 'degraded',
  major: 'outage',
  critical: 'outage',
  maintenance: 'maintenance',
  unknown: 'unknown',
}
