import { expect, test } from 'vitest'
import { formatOf } from './format.ts'

test.each([
  ['application/openmetrics-text; version=1.0.0; charset=utf-8', 'openmetrics'],
  [' Application/OpenMetrics-Text;version=0.0.1', 'openmetrics'],
  ['text/plain; version=0.0.4; charset=utf-8', 'text'],
  ['text/html', 'text'],
  ['application/openmetrics-text-not', 'text'],
  ['', 'text'],
  [undefined, 'text'],
])('%s', (contentType, format) => {
  expect(formatOf(contentType)).toBe(format)
})
