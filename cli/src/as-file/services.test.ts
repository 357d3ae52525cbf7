/** Watched services in the file of an environment. */
import {
  type ApplyOutcome,
  applyOutcomeDocument,
  type ServiceEntry,
  serviceEntryDocument,
  watchedEntry,
} from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { qd, standIn } from '../under-test.ts'
import { environmentText } from './environment-text.ts'
import { EnvironmentYaml } from './environment-yaml.ts'
import { changesAnything, countText } from './outcome-text.ts'
import { serviceEntryOf } from './service-entry.ts'

const payments = serviceEntryDocument.example as ServiceEntry
const usual = { status: '200-299', json: [], certificate_days: 14 }
const plainest: ServiceEntry = {
  ...payments,
  ...{ id: 'dns', name: 'dns', url: 'https://dns.example/', runbook: null },
  watched: { ...payments.watched!, expect: usual, header_names: [] },
}

test('what has its default is left out, and so is what is sent along', () => {
  const text = environmentText({}, { payments: serviceEntryOf(payments)!, dns: serviceEntryOf(plainest)! })
  expect(text.slice(text.indexOf('services:'))).toBe(
    `services:
  dns:
    url: https://dns.example/

  payments:
    url: https://api.payments.example/health
    name: Payments
    expect:
      json:
        - path: /ok
          equals: true
      certificate_days: 21
    runbook: runbooks/payments
`,
  )
  expect(serviceEntryOf({ ...payments, kind: 'own', watched: null })).toBeNull()
})

test('it means the same when it is read again', () => {
  const odd: ServiceEntry = {
    ...payments,
    ...{ id: 'odd', name: 'no', group: 'y', description: '# x', depends_on: ['null', 'true'] },
    watched: {
      ...payments.watched!,
      expect: {
        status: 204,
        json: [
          { path: '', equals: 'true' },
          { path: '/a~1', exists: false },
          { path: '/b', at_least: 0.5 },
        ],
        certificate_days: 0,
      },
      ...{
        interval_s: 3600,
        timeout_s: 0.5,
        is_kit: false,
        links: [{ title: '0x1f', url: 'https://a.example' }],
      },
    },
  }
  for (const service of [payments, plainest, odd]) {
    const { id, watched } = service
    const read = new EnvironmentYaml('f', environmentText({}, { [id]: serviceEntryOf(service)! })).file
      .services![id]!
    const wanted = Object.keys(watchedEntry.shape).map(key => [
      key,
      { ...service, ...watched }[key as 'name'],
    ])
    expect({ ...read, name: read.name ?? id }).toEqual(Object.fromEntries(wanted))
  }
})

test('all of them are exported, and with single projects none', async () => {
  const { home, asked } = await standIn({
    'GET /api/projects': () => ({ items: [], next_cursor: null }),
    'GET /api/services': () => ({ items: [payments], next_cursor: null }),
  })
  const { stdout } = await qd('export', '--json', '--home', home)
  expect(JSON.parse(stdout).services.payments).toEqual(serviceEntryOf(payments))
  expect(asked.at(-1)?.route).toContain('kind=watched')
  expect((await qd('export', '--home', home)).stdout).toContain('payments:\n')
})

test('a misspelt setting is told with its place and what there is', () => {
  const text = 'schema: 1\nservices:\n  pay:\n    url: https://a.example/\n    intervall_s: 5\n'
  expect(() => new EnvironmentYaml('f', text)).toThrow(
    expect.objectContaining({
      fields: [
        {
          field: 'f:5:5 services.pay.intervall_s',
          message: expect.stringMatching(/^is no setting of a watched service; there are .*interval_s/),
        },
      ],
    }),
  )
})

test('a service alone is a change, and is counted', () => {
  const none = { created: [], changed: [], archived: [], unchanged: [], not_in_file: [], secrets_to_set: [] }
  const services = { created: [], changed: [], unchanged: ['a'], removed: [], not_in_file: ['b'] }
  const outcome: ApplyOutcome = { ...(applyOutcomeDocument.example as ApplyOutcome), ...none, services }
  expect(changesAnything(outcome)).toBe(false)
  const removing = { ...outcome, services: { ...services, removed: ['c'] } }
  expect([changesAnything(removing), countText(removing)]).toEqual([true, '1 removed'])
})
