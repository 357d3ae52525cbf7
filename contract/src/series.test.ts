import { expect, test } from 'vitest'
import { series, serverSeries } from './series.ts'

test('the series are the specification’s, to the letter', () => {
  expect(Object.values(series)).toEqual([
    {
      name: 'http_requests_total',
      kind: 'counter',
      labels: ['method', 'endpoint'],
      help: 'Total HTTP requests',
    },
    { name: 'http_request_duration_seconds', kind: 'histogram', labels: [], help: 'Request latency' },
  ])
  expect(Object.values(serverSeries)).toEqual(['up', 'process_resident_memory_bytes'])
})
