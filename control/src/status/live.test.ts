import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { Live } from './live.ts'
import { tellChanges } from './tell-changes.ts'
import { begin } from './under-test.ts'

async function serving() {
  const live = new Live()
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://host')
    live.from(searchParams.get('after')).serve(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    live.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const read = async (path = '/', headers: Record<string, string> = {}) => {
    const request = get({ port, host: '127.0.0.1', path, headers, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const reader = { text: '', response }
    response.setEncoding('utf8').on('data', chunk => {
      reader.text += chunk
    })
    response.on('error', () => undefined)
    return reader
  }
  return { live, port, read }
}

test('whoever listens hears what is new, and whoever comes back what was missed', async () => {
  const { live, read } = await serving()
  const first = await read()
  const start = live.place
  live.tell('services', { n: 1 })
  live.tell('notices', { n: 2 })
  await until('both are heard', () => first.text.includes('"n":2'))
  expect(first.text).toContain(`event: services\ndata: {"n":1}\n\n`)
  const [, id = ''] = /id: (\S+)\nevent: services/.exec(first.text)!
  const second = await read('/', { 'last-event-id': id })
  await until('the second is told again', () => second.text.includes('"n":2'))
  expect(second.text).not.toContain('"n":1')
  const page = await read(`/?after=${start}`)
  await until('what came after the page was made', () => page.text.includes('"n":2'))
  expect(page.text).toContain('"n":1')
})

test('whoever knows another life, or nothing that is kept, is told to read everything anew', async () => {
  const { live, read } = await serving()
  for (let n = 0; n < 600; n++) live.tell('services', { n })
  const [life] = live.place.split('.')
  for (const known of ['other.3', `${life}.5`, `${life}.9999`, 'nonsense']) {
    const reader = await read('/', { 'last-event-id': known })
    await until(known, () => reader.text.includes('event: reset'))
    expect(reader.text).not.toContain('"n"')
  }
})

test('what is kept for those who come back is no more than a megabyte', async () => {
  const { live, read } = await serving()
  const start = live.place
  for (let n = 0; n < 8; n++) live.tell('services', { n, large: 'x'.repeat(256 * 1024) })
  const late = await read('/', { 'last-event-id': start })
  await until('it reads everything anew', () => late.text.includes('event: reset'))
  expect(late.text).not.toContain('"n"')
})

test('when more has changed than is worth telling, everybody reads everything anew', async () => {
  const { live, read } = await serving()
  const { open } = await begin(sqliteEngine)
  const { watch, json, options, set, stop } = await open()
  onTestFinished(stop)
  onTestFinished(tellChanges(options, json, live))
  const reader = await read()
  const all = (state: 'up' | 'down', count: number) =>
    watch.set(Array.from({ length: 200 }, (_, n) => set(n < count ? state : 'up', `s${n}`)))
  all('up', 200)
  await until('all are new', () => reader.text.includes('event: reset'))
  all('down', 3)
  await until('three are told', () => reader.text.includes('event: services'))
  expect(reader.text.match(/"status":"outage"/g)).toHaveLength(3)
})

test('a reader that does not read is let go, and others are not waited with', async () => {
  const { live, port, read } = await serving()
  const slow = connect(port, '127.0.0.1')
  slow.on('error', () => undefined)
  slow.pause()
  slow.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await until('it listens', () => live.readers === 1)
  const quick = await read()
  const large = 'x'.repeat(64 * 1024)
  for (let n = 0; n < 400 && live.readers === 2; n++) {
    live.tell('services', { n, large })
    await new Promise(resolve => setImmediate(resolve))
  }
  await until('it is gone', () => live.readers === 1)
  live.tell('services', { last: true })
  await until('the other hears on', () => quick.text.includes('"last":true'))
  slow.destroy()
})
