import { expect, test } from 'vitest'
import { z } from 'zod'
import { scrapeConfig } from './scrape-config.ts'
import { prometheusDuration } from './wire.ts'

const job = { job_name: 'hello', static_configs: [{ targets: ['web-1.example.com:8101'] }] }

test('an empty file has Prometheus’ defaults', () => {
  expect(scrapeConfig.parse({})).toEqual({
    global: { scrape_interval: '1m', scrape_timeout: '10s', evaluation_interval: '1m' },
    rule_files: [],
    scrape_configs: [],
  })
})

test('a job needs its name and targets; it is scraped at /metrics', () => {
  const { scrape_configs } = scrapeConfig.parse({ scrape_configs: [job] })
  expect(scrape_configs).toEqual([{ ...job, metrics_path: '/metrics', scheme: 'http' }])
})

test.each([
  { what: 'an unknown key', jobs: [{ ...job, relabel_configs: [] }], said: '"relabel_configs"' },
  { what: 'a job without name', jobs: [{ static_configs: [] }], said: 'job_name' },
  { what: 'two jobs of one name', jobs: [job, job], said: 'its own job_name' },
  { what: 'a target that is an address', jobs: [jobAt('http://web-1:8101/metrics')], said: 'host:port' },
  { what: 'a relative path', jobs: [{ ...job, metrics_path: 'metrics' }], said: 'starting with a slash' },
])('$what is refused by name', ({ jobs, said }) => {
  const { error } = scrapeConfig.safeParse({ scrape_configs: jobs })
  expect(z.prettifyError(error!)).toContain(said)
})

test.each(['0', '2m', '1h30m', '500ms', '1d12h'])('%s is a duration', text => {
  expect(prometheusDuration.safeParse(text).success).toBe(true)
})

test.each(['', '2', 'm', '30m1h', '2 m', '-1s', '1.5s'])('%j is not a duration', text => {
  expect(prometheusDuration.safeParse(text).success).toBe(false)
})

function jobAt(target: string) {
  return { ...job, static_configs: [{ targets: [target] }] }
}
