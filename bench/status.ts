/** What everybody costs who looks at once: documents against bare node:http, events to thousands, a page of thousands. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { scratch } from './deploy/place.ts'
import { type Figure, median } from './figure.ts'
import { startProgram } from './process.ts'

const here = join(import.meta.dirname, 'status')
const [rounds, seconds] = [5, 2]

const documents: Figure = {
  name: 'status.json : bare node:http',
  goal: '>= 0.9, 304s >= 1.0',
  async measure() {
    const { directory, remove } = scratch()
    const host = await statusHost(50)
    const file = join(directory, 'status.json')
    const { body, etag, headers } = await read(host.port, '/status.json')
    writeFileSync(file, body)
    const bare = await startProgram(
      process.execPath,
      [join(here, 'bare-http.ts'), file, sameHeaders(etag, headers)],
      /port (\d+)/,
    )
    const whole = await compared(host.port, bare.port, {}, {})
    const known = { 'if-none-match': etag }
    const unchanged = await compared(host.port, bare.port, known, {})
    const bothUnchanged = await compared(host.port, bare.port, known, known)
    await Promise.all([bare.stop(), host.stop()])
    remove()
    return {
      reached: whole.ratio >= 0.9 && unchanged.ratio >= 1,
      value: `${whole.ratio.toFixed(2)}, ${unchanged.ratio.toFixed(2)}`,
      details: `${body.length} bytes of 50 services: ${whole.told}; 304s against its whole answers: ${unchanged.told}; against its 304s ${bothUnchanged.ratio.toFixed(2)}: ${bothUnchanged.told}`,
    }
  },
}

const readers = 5000

const live: Figure = {
  name: 'status events to 5,000 readers',
  goal: '< 1 s',
  async measure() {
    const host = await statusHost(50)
    const heard: number[] = []
    const sockets = []
    for (let index = 0; index < readers; index++) {
      const socket = connect(host.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.on('data', chunk => chunk.includes('event: services') && heard.push(performance.now()))
      socket.write('GET /events HTTP/1.1\r\nHost: status\r\n\r\n')
      sockets.push(socket)
      if (index % 250 === 249) await once(socket, 'data')
    }
    heard.length = 0
    const startedMs = performance.now()
    const told = await host.change()
    while (heard.length < readers && performance.now() - startedMs < 10_000)
      await new Promise(resolve => setTimeout(resolve, 5))
    const tookMs = Math.max(...heard) - startedMs
    for (const socket of sockets) socket.destroy()
    await host.stop()
    return {
      reached: heard.length === readers && tookMs < 1000,
      value: `${tookMs.toFixed(0)} ms`,
      details: `from the change to the last of ${heard.length} readers (${told} were connected), a tenth of a second of it to gather changes`,
    }
  },
}

const page: Figure = {
  name: 'status page of 2,000 services',
  goal: 'first byte < 100 ms',
  async measure() {
    const host = await statusHost(2000)
    const times: number[] = []
    let size = 0
    const [firstEver] = await firstByte(host.port)
    // As long as that has taken, nothing is made again so soon.
    await new Promise(resolve => setTimeout(resolve, 8000))
    for (let round = 0; round < 9; round++) {
      // Another status: the page is put together again.
      await host.change()
      await new Promise(resolve => setTimeout(resolve, 1500))
      const [tookMs, bytes] = await firstByte(host.port)
      times.push(tookMs)
      size = bytes
    }
    await host.stop()
    const worst = Math.max(...times)
    return {
      reached: worst < 100,
      value: `${worst.toFixed(0)} ms`,
      details: `worst of ${times.length} after a change each, median ${median(times).toFixed(0)} ms, ${(size / 1024).toFixed(0)} KB as br; the first ever ${firstEver.toFixed(0)} ms`,
    }
  },
}

export const statusFigures: Figure[] = [documents, live, page]

async function statusHost(count: number) {
  const child: ChildProcess = spawn(process.execPath, [join(here, 'status-host.ts'), `${count}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said = async (pattern: RegExp): Promise<number> => {
    for (;;) {
      const [chunk] = (await once(child.stdout!, 'data')) as [Buffer]
      const found = pattern.exec(`${chunk}`)
      if (found) return Number(found[1])
    }
  }
  return {
    port: await said(/port (\d+)/),
    change() {
      child.stdin!.write('change\n')
      return said(/readers (\d+)/)
    },
    async stop() {
      const end = once(child, 'exit')
      child.kill('SIGTERM')
      await end
    },
  }
}

/** Short rounds in turns: a shared machine has moods, and each should fall on both. */
async function compared(
  ours: number,
  peer: number,
  headers: Record<string, string>,
  peerHeaders: Record<string, string>,
) {
  await load(peer, peerHeaders)
  await load(ours, headers)
  const measured: { peer: number; ours: number }[] = []
  for (let round = 0; round < rounds; round++)
    measured.push({ peer: await load(peer, peerHeaders), ours: await load(ours, headers) })
  const ratio = median(measured.map(round => round.ours / round.peer))
  const of = (who: 'ours' | 'peer') => Math.round(median(measured.map(round => round[who])))
  return { ratio, told: `${of('ours')}/s, bare ${of('peer')}/s` }
}

async function load(port: number, headers: Record<string, string>): Promise<number> {
  const url = `http://127.0.0.1:${port}/status.json`
  const { requests, errors } = await autocannon({
    url,
    headers,
    connections: 32,
    pipelining: 4,
    duration: seconds,
  })
  if (errors > 0) throw new Error(`${errors} failed`)
  return requests.average
}

async function read(port: number, path: string): Promise<{ body: Buffer; etag: string; headers: Headers }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { 'accept-encoding': 'identity' },
  })
  return {
    body: Buffer.from(await answer.arrayBuffer()),
    etag: answer.headers.get('etag') ?? '',
    headers: answer.headers,
  }
}

/** What the bare server sends too, so that both send the same bytes. */
function sameHeaders(etag: string, all: Headers): string {
  const own = [...all].filter(([name]) => !['connection', 'date', 'keep-alive'].includes(name))
  const unchanged = own.filter(([name]) => !/^content-|^x-/.test(name))
  return JSON.stringify({ etag, headers: Object.fromEntries(own), unchanged: Object.fromEntries(unchanged) })
}

async function firstByte(port: number): Promise<[number, number]> {
  const startedMs = performance.now()
  const request = get({
    port,
    host: '127.0.0.1',
    path: '/',
    headers: { 'accept-encoding': 'br' },
    agent: false,
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const tookMs = performance.now() - startedMs
  let size = 0
  for await (const chunk of response) size += (chunk as Buffer).length
  return [tookMs, size]
}
