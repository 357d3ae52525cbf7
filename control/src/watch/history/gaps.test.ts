import { expect, test } from 'vitest'
import { Gaps, mostGapsPerDay } from './gaps.ts'

const day = 86_400

test('the length of gaps is counted between any two seconds', () => {
  const gaps = new Gaps(15, [
    { from: 100, to: 200 },
    { from: 300, to: 310 },
  ])
  expect([
    gaps.between(0, 1000),
    gaps.between(150, 305),
    gaps.between(200, 300),
    gaps.between(400, 500),
  ]).toEqual([110, 55, 0, 0])
})

test('gaps that are near one another are one', () => {
  const gaps = new Gaps(15)
  gaps.add({ from: 100, to: 120 })
  expect(gaps.add({ from: 130, to: 150 })).toEqual({
    writes: new Map([[100, { from: 100, to: 150 }]]),
    changedFrom: 120,
  })
  gaps.add({ from: 165, to: 170 })
  expect(gaps.all).toHaveLength(2)
  expect([gaps.last(160), gaps.last(165)]).toEqual([
    { from: 100, to: 150 },
    { from: 165, to: 170 },
  ])
})

test('a control that dies every minute has few gaps a day, and what lies between them is unknown too', () => {
  const gaps = new Gaps(15)
  for (let at = 0; at < 3 * day; at += 60) gaps.add({ from: at, to: at + 20 })
  expect(gaps.all).toHaveLength(3 * mostGapsPerDay)
  expect(gaps.between(12 * 3600, 13 * 3600)).toBe(3600)
})

test('what lies after a second is taken back, and what is old is forgotten', () => {
  const gaps = new Gaps(15, [
    { from: 100, to: 200 },
    { from: 300, to: 400 },
    { from: 500, to: 600 },
  ])
  expect(gaps.cut(350)).toEqual(
    new Map([
      [500, null],
      [300, { from: 300, to: 350 }],
    ]),
  )
  expect(gaps.between(0, 1000)).toBe(150)
  expect(gaps.forgetBefore(250)).toEqual(new Map([[100, null]]))
  expect(gaps.between(250, 1000)).toBe(50)
  gaps.add({ from: 700, to: 800 })
  expect(gaps.between(250, 1000)).toBe(150)
})
