/** Reads what a service tells at /metrics. */
export { type Format, formatOf } from './format.ts'
export { type GoldenSignals, goldenSignals, type Latency } from './golden-signals.ts'
export { KnownLines } from './known-lines.ts'
export { type Limits, limits } from './limits.ts'
export { numberOf } from './number.ts'
export {
  type Exemplar,
  type Family,
  familiesOf,
  type Metadata,
  type MetricType,
  type Page,
  type Sample,
} from './page.ts'
export { PageError } from './page-error.ts'
export { type ReadOptions, readPage } from './read-page.ts'
export { Series } from './series.ts'
