/** Services to check: one that keeps the contract, and others that keep all but a clause of it. */
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { quarterdeck } from '@quarterdeck/kit/node'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished } from 'vitest'
import type { Report } from './index.ts'

export const sha = 'c0ffee0123456789c0ffee0123456789c0ffee01'

/** Resolves to the port. */
export async function listening(listener: RequestListener, address = '0.0.0.0'): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, address, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The kit on a server of Node's own. */
export function goodService(address?: string): Promise<number> {
  const root = temporaryDirectory()
  writeFileSync(join(root, 'REVISION'), `${sha}\n`)
  const options = { name: 'hello', root }
  return listening(
    quarterdeck(options, (_request, response) => {
      response.writeHead(404).end()
    }),
    address,
  )
}

export interface Reply {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

export interface Asked {
  path: string
  /** How often this path was asked for before. */
  before: number
  request: IncomingMessage
}

/** Changes a reply; gives undefined where it has answered, or hung up, by itself. */
export type Break = (reply: Reply, asked: Asked) => Partial<Reply> | undefined

/** Changes what is said at one path. */
export const at =
  (path: string, change: Break): Break =>
  (reply, asked) =>
    asked.path === path ? change(reply, asked) : {}

/** A good service behind one that changes what it says. Resolves to the URL. */
export async function brokenService(change: Break): Promise<string> {
  const good = await goodService()
  const asked = new Map<string, number>()
  const port = await listening(async (request, response) => {
    const path = request.url ?? ''
    const before = asked.get(path) ?? 0
    asked.set(path, before + 1)
    const reply = await replyOf(good, request)
    const changed = change(reply, { path, before, request })
    if (!changed) return
    const { status, headers, body } = { ...reply, ...changed }
    // HEAD is asked for as GET, so that its length is that of the changed body; Node leaves the body out.
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  })
  return `http://127.0.0.1:${port}`
}

function replyOf(port: number, { url, headers: { accept = '' } }: IncomingMessage): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const target = { port, host: '127.0.0.1', path: url, headers: { accept }, agent: false }
  const call = send(target, async response => {
    const body = (await response.setEncoding('utf8').toArray()).join('')
    // Headers of the connection are not those of the reply.
    const names = ['content-type', 'cache-control'].filter(name => name in response.headers)
    const headers = Object.fromEntries(names.map(name => [name, String(response.headers[name])]))
    resolve({ status: response.statusCode ?? 0, headers, body })
  })
  call.once('error', reject).end()
  return promise
}

export const breaches = ({ clauses }: Report): string[] =>
  clauses.filter(({ ok }) => ok === false).map(({ id }) => id)

/** These and no others, each with a sentence on what to do. */
export function expectBreaches(report: Report, ids: string[]): void {
  expect(breaches(report)).toEqual(ids)
  expect(report.ok).toBe(false)
  for (const { ok, found, remedy } of report.clauses) {
    expect(found).not.toBe('')
    if (ok === false) expect(remedy).toMatch(/^[A-Z].+\.$/)
    else expect(remedy).toBeNull()
  }
}
