import { expect, test } from 'vitest'
import { type ServerSentEvent, serverSentEvents } from './server-sent.ts'

async function read(...chunks: string[]): Promise<ServerSentEvent[]> {
  async function* pieces() {
    yield* chunks
  }
  const events: ServerSentEvent[] = []
  for await (const event of serverSentEvents(pieces())) events.push(event)
  return events
}

const stream = 'retry: 2000\n\nid: 1\nevent: log\ndata: {"a":1}\n\nevent: run\ndata: {}\n\n'
const events = [
  { id: '1', event: 'log', data: '{"a":1}' },
  { id: '1', event: 'run', data: '{}' },
]

test('events are read, and an id counts until the next one', async () => {
  expect(await read(stream)).toEqual(events)
})

test('pieces may be cut anywhere', async () => {
  expect(await read(...stream)).toEqual(events)
  for (let cut = 0; cut <= stream.length; cut++) {
    expect(await read(stream.slice(0, cut), stream.slice(cut))).toEqual(events)
  }
})

test('lines may end with CRLF or CR, cut between the two as well', async () => {
  const crlf = stream.replaceAll('\n', '\r\n')
  expect(await read(crlf)).toEqual(events)
  expect(await read(...crlf)).toEqual(events)
  expect(await read(`${stream.replaceAll('\n', '\r')}:\r`)).toEqual(events)
})

test('comments and unknown fields are passed over', async () => {
  expect(await read(': still here\n\ndata: x\n: in between\nfoo: bar\nbaz\n\n:\n\n')).toEqual([
    { id: '', event: 'message', data: 'x' },
  ])
})

test('several data lines are one text, with one leading space each taken off', async () => {
  expect(await read('data: a\ndata:  b\ndata\ndata:c\n\n')).toEqual([
    { id: '', event: 'message', data: 'a\n b\n\nc' },
  ])
})

test('an event that was cut off is dropped', async () => {
  expect(await read('data: a\n\ndata: b\n')).toEqual([{ id: '', event: 'message', data: 'a' }])
  expect(await read('event: only\n\n')).toEqual([])
})
