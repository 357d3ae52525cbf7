import type { ChannelRoutes } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { hears } from './routing.ts'

const problem = {
  severity: 'critical',
  service: 'hello',
  group: 'production',
  labels: { alertname: 'X' },
} as const
const all: ChannelRoutes = { groups: [], projects: [], severities: [] }
const told = (routes: Partial<ChannelRoutes>, change = {}) =>
  hears({ name: 'on-call', routes: { ...all, ...routes } }, { ...problem, ...change })

test('a channel hears of everything, or of what its groups, projects and severities all allow', () => {
  expect(told({})).toBe(true)
  expect(told({ groups: ['production'], projects: ['hello'], severities: ['critical'] })).toBe(true)
  expect(told({ groups: ['development'] })).toBe(false)
  expect(told({ projects: ['other'] })).toBe(false)
  expect(told({ severities: ['warning', 'info'] })).toBe(false)
  expect(told({ projects: ['hello'] }, { service: null })).toBe(false)
})

test('that a channel fails is told to every other one, whatever else they hear of', () => {
  const labels = (channel: string) => ({
    labels: { alertname: 'ChannelFailing', channel },
    service: null,
    group: null,
  })
  expect(told({ projects: ['other'] }, labels('mail'))).toBe(true)
  expect(told({}, labels('on-call'))).toBe(false)
})
