import { execFileSync } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { systemClock } from '@quarterdeck/kit'
import { memoryLog, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ProbeConnection } from './probe-connection.ts'
import { Prober, type ProbeTarget, type Sighting } from './prober.ts'
import { hangingServer, httpServer } from './under-test.ts'

test('a thousand targets of which a hundred hang: the others are seen as if they were alone', async () => {
  const hung = await hangingServer('0.0.0.0')
  const { port } = await httpServer((request, response) => response.end(request.url), '0.0.0.0')
  const intervalMs = 3000
  const looks = new Map<string, Sighting<ProbeTarget>[]>()
  const prober = new Prober<ProbeTarget>({
    clock: systemClock,
    log: memoryLog().log,
    limits: { timeoutMs: 2000 },
    onSighting: sighting =>
      looks.set(sighting.target.id, [...(looks.get(sighting.target.id) ?? []), sighting]),
  })
  onTestFinished(() => prober.stop())
  for (let index = 0; index < 1000; index++) {
    const isHung = index % 10 === 0
    prober.set({
      id: `${isHung ? 'hung' : 'well'}-${index}`,
      server: { host: `127.0.0.${1 + (index % 50)}`, port: isHung ? hung.port : port, isTls: false },
      paths: ['/healthz', '/readyz'],
      intervalMs,
    })
  }
  prober.start()
  await until(
    'all were looked at twice',
    () => looks.size === 1000 && [...looks.values()].every(each => each.length > 1),
    20_000,
  )
  for (const [id, sightings] of looks)
    for (const { seen } of sightings) expect(seen).toHaveLength(id.startsWith('hung') ? 1 : 2)
  // Half of what one that hangs takes; the figure that is aimed at is in the bench.
  expect(prober.takeFigures().lagMs.p99).toBeLessThan(1000)
})

/** Takes every file that it may open, has a look taken, gives them back, and has another taken. */
const withoutFiles = `
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import { systemClock } from '@quarterdeck/kit'
import { Prober } from './prober.ts'

const server = createServer((request, response) => response.end(request.url))
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
const [sightings, said, files] = [[], [], []]
const log = { warn: ({ reason }) => said.push(reason), error: error => said.push(error) }
const prober = new Prober({ clock: systemClock, log, onSighting: sighting => sightings.push(sighting) })
const { port } = server.address()
const watch = (id, host) =>
  prober.set({ id, server: { host, port, isTls: false }, paths: ['/healthz'], intervalMs: 200 })
watch('by address', '127.0.0.1')
watch('by name', 'hello.example')
try {
  for (;;) files.push(openSync('/dev/null'))
} catch {}
const until = async condition => {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
}
prober.start()
let ours = 0
await until(() => {
  ours += prober.takeFigures().ours
  return ours >= 10
})
const early = sightings.length
prober.remove('by name')
files.forEach(file => closeSync(file))
await until(() => sightings.length > 0)
const afterwards = sightings[0].seen.map(({ answer }) => String(answer.body))
console.log(JSON.stringify({ early, said, afterwards }))
process.exit()
`

test('without open files to spare no service is said to be down', () => {
  const args = ['--nofile=64', process.execPath, '--input-type=module', '--eval', withoutFiles]
  const told = execFileSync('prlimit', args, { cwd: import.meta.dirname, encoding: 'utf8', timeout: 60_000 })
  expect(JSON.parse(told)).toEqual({
    early: 0,
    // Once, not with each look.
    said: [
      'This process may open no more connections. Raise its limit of open files (LimitNOFILE= of the unit, ulimit -n).',
    ],
    afterwards: ['/healthz'],
  })
})

test('a process that stood still does not blame the server for it', async () => {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     const server = require('node:http').createServer((request, response) => response.end('ok'))
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
    { eval: true },
  )
  onTestFinished(async () => void (await worker.terminate()))
  const port = await new Promise<number>(resolve => worker.once('message', resolve))
  const connection = new ProbeConnection(
    { host: '127.0.0.1', port, isTls: false },
    { timeoutMs: 300, longestBody: 1000 },
  )
  onTestFinished(() => connection.close())
  for (let turn = 0; turn < 3; turn++) {
    const look = connection.look(['/healthz', '/readyz'])
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
    expect(await look).toMatchObject(Array(2).fill({ answer: { status: 200 } }))
  }
})
