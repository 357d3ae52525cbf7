import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Answer, AnswerReader } from './answer-reader.ts'

const longestBody = 1000

function readAll(text: string | Buffer, { ends = false } = {}): Answer[] {
  const reader = new AnswerReader({ longestBody })
  const answers = reader.read(Buffer.from(text as string, 'latin1'))
  return ends ? [...answers, ...reader.end()] : answers
}

const shown = (answers: Answer[]) =>
  answers.map(({ status, body, staysOpen }) => [status, `${body}`, staysOpen])

test('several answers in a row are read one after the other', () => {
  const text =
    'HTTP/1.1 200 OK\r\nContent-Length: 11\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{"ok":true}' +
    'HTTP/1.1 503 Nope\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\n{"ok"\r\n7\r\n:false}\r\n0\r\nX: y\r\n\r\n' +
    'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'
  const answers = readAll(text)
  expect(shown(answers)).toEqual([
    [200, '{"ok":true}', true],
    [503, '{"ok":false}', true],
    [204, '', false],
  ])
  expect(answers[0]).toMatchObject({ type: 'application/json', isCoded: false, location: undefined })
})

test('without a length it goes on until the connection ends', () => {
  expect(shown(readAll('HTTP/1.0 200 OK\r\n\r\nall of it', { ends: true }))).toEqual([
    [200, 'all of it', false],
  ])
})

test.each([
  ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: Keep-Alive\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nConnection: Close\r\n\r\n', false],
  ['HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', true],
])('%j leaves the connection open: %s', (text, staysOpen) => {
  expect(readAll(text)).toMatchObject([{ status: 200, staysOpen }])
})

test('what comes before the answer is not the answer', () => {
  const text = 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  expect(shown(readAll(text))).toEqual([[200, 'ok', true]])
})

test('a redirect tells where to, and a coding is told', () => {
  const text =
    'HTTP/1.1 302 Found\r\nLocation: https://Else.Where/X\r\nContent-Encoding: gzip\r\ncontent-length: 0\r\n\r\n'
  expect(readAll(text)).toMatchObject([{ location: 'https://Else.Where/X', isCoded: true }])
})

test.each([
  ['SSH-2.0-OpenSSH_9.2\r\n', 'not HTTP/1'],
  ['HTTP/2 200\r\n\r\n', 'not HTTP/1'],
  ['HTTP/1.1 999 Odd\r\n\r\n', 'not HTTP/1'],
  [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}`, 'does not end'],
  [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 'too long'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n', 'too long'],
  ['HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'no number'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 'two lengths'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n', 'transfer coding'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'no length'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n', 'too long'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabXX', 'does not end'],
  [`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1'.repeat(2000)}`, 'does not end'],
  [`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1001)}`, 'too long'],
])('%j is refused: %s', (text, why) => {
  expect(() => readAll(text)).toThrow(why)
})

test('endless trailers end', () => {
  const reader = new AnswerReader({ longestBody })
  reader.read(Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n'))
  expect(() => {
    for (let turn = 0; turn < 1000; turn++) reader.read(Buffer.from(`X-${turn}: y\r\n`))
  }).toThrow('too long')
})

test('an answer that is cut off is none', () => {
  for (const text of ['HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc']) {
    expect(() => readAll(text, { ends: true })).toThrow('cut off')
  }
})

test('however the bytes are cut, the answers are the same', () => {
  const text = Buffer.from(
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc' +
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n' +
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  )
  const whole = shown(readAll(text))
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 12 }), cuts => {
      const reader = new AnswerReader({ longestBody })
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      const answers = places
        .slice(1)
        .flatMap((place, index) => reader.read(text.subarray(places[index]!, place)))
      expect(shown(answers)).toEqual(whole)
    }),
  )
})

test('whatever bytes come, it answers or refuses, and never hangs', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }), fc.string(), (chunks, rest) => {
      const reader = new AnswerReader({ longestBody })
      try {
        for (const chunk of [Buffer.from(`HTTP/1.1 200 OK\r\n${rest}`), ...chunks])
          reader.read(Buffer.from(chunk))
      } catch (error) {
        expect((error as Error).name).toBe('BadAnswer')
      }
    }),
  )
})

test('what a real server answers to three requests at once is read', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/b') response.write('chun')
    response.end(request.url === '/b' ? 'ked' : request.url)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const reader = new AnswerReader({ longestBody })
  const answers: Answer[] = []
  socket.write(['/a', '/b', '/c'].map(path => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  for await (const bytes of socket) {
    answers.push(...reader.read(bytes))
    if (answers.length === 3) break
  }
  expect(shown(answers)).toEqual([
    [200, '/a', true],
    [200, 'chunked', true],
    [200, '/c', true],
  ])
  server.close()
})
