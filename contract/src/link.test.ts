import { expect, test } from 'vitest'
import { linkPair } from './link.ts'

const turns = async (count = 5) => {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

test('what one end sends the other hears, in order, in a later turn, both ways', async () => {
  const [a, b] = linkPair()
  const heard: string[] = []
  a.onMessage(text => heard.push(`a ${text}`))
  b.onMessage(text => heard.push(`b ${text}`))
  for (const text of ['1', '2', '3']) a.send(text)
  b.send('4')
  expect(heard).toEqual([])
  await turns()
  expect(heard).toEqual(['b 1', 'b 2', 'b 3', 'a 4'])
})

test('what came before there was a listener is kept for it, and comes first', async () => {
  const [a, b] = linkPair()
  a.send('early')
  await turns()
  const heard: string[] = []
  b.onMessage(text => heard.push(text))
  a.send('late')
  await turns()
  expect(heard).toEqual(['early', 'late'])
})

test('both ends hear of the end once, whoever closes and however often', async () => {
  const [a, b] = linkPair()
  const closed: string[] = []
  a.onClose(() => closed.push('a'))
  b.onClose(() => closed.push('b'))
  b.close()
  a.close()
  b.close()
  expect(closed).toEqual([])
  await turns()
  expect(closed.sort()).toEqual(['a', 'b'])
})

test('after the end nothing is heard, what was under way is lost, and sending is harmless', async () => {
  const [a, b] = linkPair()
  const heard: string[] = []
  b.onMessage(text => heard.push(text))
  a.send('under way')
  a.close()
  a.send('too late')
  b.send('too late')
  await turns()
  expect(heard).toEqual([])
})
