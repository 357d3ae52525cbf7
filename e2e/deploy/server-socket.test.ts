/** On a server with a real systemd: a service that takes a passed socket is deployed again and again, and nobody is refused. */
import { Machine } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { service } from './server-services.ts'
import { Server } from './server-under-test.ts'

const port = 8123

test('of 300 requests during three deploys, through the edge and to the port, none is refused or fails', async context => {
  const missing = Machine.missing()
  if (missing) return context.skip(missing)
  const server = await Server.install()
  try {
    const { machine } = server
    const options = ['--port', String(port), '--socket']
    const project = await server.project('hello', options, ['python', '-m', 'app'])
    const first = await project.push({ 'app/__main__.py': service })
    expect(await project.deploy(first)).toMatchObject({ status: 'succeeded', error: null })
    // The edge hears of a first deploy a moment later.
    await project.answers(first)
    const stop = '/srv/stop'
    const load = machine.run(process.execPath, [
      '--input-type=module',
      '--eval',
      requests,
      stop,
      String(port),
    ])
    const refs: string[] = []
    for (const number of [1, 2, 3]) {
      const ref = await project.push({ 'docs/number.md': String(number) })
      expect(await project.deploy(ref)).toMatchObject({ status: 'succeeded', error: null })
      refs.push(ref)
    }
    await machine.ok('touch', stop)
    const { failed, done } = JSON.parse((await load).stdout)
    expect(failed).toEqual([])
    expect(done).toBeGreaterThanOrEqual(300)
    expect(project.starts()).toEqual([first, ...refs])
  } finally {
    await server.machine.remove()
  }
})

/** Four callers, one after another each, until the file is there: half of them post, half go straight to the port. */
const requests = `
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'

const [stop, port] = process.argv.slice(1)
const failed = []
let done = 0

function call(options, body) {
  return new Promise((resolve, reject) => {
    const headers = { host: 'hello.localhost', ...(body && { 'content-length': body.length }) }
    request({ host: '127.0.0.1', agent: false, headers, ...options }, async response => {
      resolve([response.statusCode, await text(response).catch(reject)])
    }).on('error', reject).end(body)
  })
}

async function caller(port, method) {
  const body = method === 'POST' ? 'x'.repeat(20_000) : undefined
  while (!existsSync(stop) || done < 300) {
    try {
      const [status, got] = await call({ port, method, path: body ? '/echo' : '/version' }, body)
      if (status !== 200 || (body && got !== body)) failed.push([port, method, status, got.slice(0, 200)])
    } catch (error) {
      failed.push([port, method, error.code ?? error.message])
    }
    done++
    await wait(20)
  }
}

await Promise.all([8300, Number(port)].flatMap(port => ['GET', 'POST'].map(method => caller(port, method))))
process.stdout.write(JSON.stringify({ done, failed: failed.slice(0, 20) }))
`
