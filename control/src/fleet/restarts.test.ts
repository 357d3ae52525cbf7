import { noVariables, type PlacedProject, type StepStatus, type ToAgent } from '@quarterdeck/contract'
import { FakeClock } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Restarts } from './restarts.ts'

const project = {
  name: 'hello',
  health: { timeout_s: 30 },
  limits: { restart_s: 60 },
} as unknown as PlacedProject
const limitS = 120 + 2 * (30 + 60)

function begin() {
  const clock = new FakeClock()
  const restarts = new Restarts(clock)
  const isUnderWay = (machine = 'web-1') => restarts.isUnderWay(machine, 'hello')
  const order = { type: 'run', order: { id: 'run', project } } as unknown as ToAgent
  const told = (restart: StepStatus) => {
    const steps = [
      { name: 'fetch' as const, status: 'succeeded' as const },
      { name: 'restart' as const, status: restart },
    ]
    const progress = { run_id: 'run', steps } as never
    return { type: 'run_progress', progress } as const
  }
  const act = (action: 'start' | 'stop' | 'restart'): ToAgent => ({
    type: 'ask',
    id: 'question',
    question: { what: 'act', action, project, variables: { id: noVariables, values: {}, secrets: [] } },
  })
  return { clock, restarts, isUnderWay, order, told, act }
}

test('a run restarts a project from its restart step on, on its machine alone, until it ends', () => {
  const { restarts, isUnderWay, order, told } = begin()
  restarts.sent('web-1', order)
  restarts.heard(told('pending'))
  expect(isUnderWay()).toBe(false)
  restarts.heard(told('running'))
  expect([isUnderWay(), isUnderWay('web-2')]).toEqual([true, false])
  restarts.heard(told('succeeded'))
  expect(isUnderWay()).toBe(true)
  restarts.heard({ type: 'run_ended', progress: { run_id: 'run' } as never, outcome: {} as never })
  expect(isUnderWay()).toBe(false)
})

test('what takes longer than its limits is an outage, however often it is told of', () => {
  const { clock, restarts, isUnderWay, order, told } = begin()
  restarts.sent('web-1', order)
  restarts.heard(told('running'))
  clock.advance(limitS * 1000 - 1)
  expect(isUnderWay()).toBe(true)
  restarts.sent('web-1', order)
  restarts.heard(told('running'))
  clock.advance(1)
  expect(isUnderWay()).toBe(false)
})

test('a restart that was asked for counts until it is answered or given up; a stop is to be seen', () => {
  const { restarts, isUnderWay, act } = begin()
  restarts.sent('web-1', act('restart'))
  expect(isUnderWay()).toBe(true)
  restarts.ended('question')
  expect(isUnderWay()).toBe(false)
  restarts.sent('web-1', act('start'))
  restarts.sent('web-1', act('stop'))
  expect(isUnderWay()).toBe(false)
})

test('progress of a run that nobody was given means nothing', () => {
  const { restarts, isUnderWay, told } = begin()
  restarts.heard(told('running'))
  expect(isUnderWay()).toBe(false)
})
