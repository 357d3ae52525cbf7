/** Control as the command line meets it: a server that speaks the contract, on a home that announces it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  Fault,
  type Operation,
  operations,
  type Project,
  problemOf,
  projectDocument,
  type Run,
  runDocument,
} from '@quarterdeck/contract'
import { onTerminal, temporaryDirectory } from '@quarterdeck/testing'
import { onTestFinished, vi } from 'vitest'
import { fail } from './fail.ts'
import { createProgram } from './program.ts'

export const operatorToken = `qd_operator_${'a'.repeat(43)}`

export interface Asked {
  /** Such as `GET /api/runs?limit=20`. */
  route: string
  body: unknown
  headers: IncomingMessage['headers']
  response: ServerResponse
}

/** Gives the document to answer with; throws a fault; or answers by itself and gives undefined. */
export type Answer = (asked: Asked) => unknown

/** By route without its query, such as `GET /api/runs`. */
export type Routes = Record<string, Answer>

export interface StandIn {
  home: string
  port: number
  routes: Routes
  asked: Asked[]
  /** Breaks what is connected and takes no more. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function standIn(routes: Routes): Promise<StandIn> {
  const home = temporaryDirectory()
  const asked: Asked[] = []
  const server = createServer((request, response) => void serve(it, request, response))
  const it: StandIn = {
    home,
    port: 0,
    routes,
    asked,
    async stop() {
      server.closeAllConnections()
      if (server.listening) await new Promise(resolve => server.close(resolve))
    },
    async start() {
      await new Promise<void>(resolve => server.listen(it.port, '127.0.0.1', resolve))
      it.port = (server.address() as AddressInfo).port
      const running = { pid: process.pid, address: '127.0.0.1', port: it.port, domain: 'localhost' }
      writeFileSync(join(home, 'running.json'), JSON.stringify({ ...running, started_at: '' }))
    },
  }
  writeFileSync(join(home, 'operator.token'), `${operatorToken}\n`)
  await it.start()
  onTestFinished(() => it.stop())
  return it
}

async function serve(it: StandIn, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = await text(request)
  const { url = '', method = '', headers } = request
  const body: unknown = sent === '' ? undefined : JSON.parse(sent)
  const asked = { route: `${method} ${url}`, body, headers, response }
  it.asked.push(asked)
  try {
    const [path = ''] = url.split('?')
    const operation = operationOf(method, path)
    const published = operation ? undefined : it.routes[`${method} ${path}`]
    if (published) {
      const text = JSON.stringify(await published(asked))
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      return
    }
    if (headers.authorization !== `Bearer ${operatorToken}`) throw new Fault('unauthenticated', 'No token.')
    const answer = it.routes[`${method} ${path}`]
    if (!operation || !answer) throw new Fault('not_found', `Nothing is at ${path}.`)
    if (!(operation.bodyOptional && body === undefined)) operation.body?.schema.parse(body)
    const value = await answer(asked)
    if (value === undefined && operation.answer.status !== 204) return
    const { status, document } = operation.answer
    const checked = document ? document.schema.parse(value) : value
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(checked))
  } catch (error) {
    const fault = error instanceof Fault ? error : new Fault('internal', String(error))
    response
      .writeHead(fault.entry.status)
      .end(JSON.stringify(problemOf(fault, 'http://docs.localhost', 'r-1')))
  }
}

const operationOf = (method: string, path: string): Operation | undefined =>
  Object.values<Operation>(operations).find(
    operation =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )

/** A server-sent event. */
export const sse = (event: string, data: unknown, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

export const beginStream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' })

export const logLine = (seq: number, text: string) => ({
  seq,
  at: '2026-03-02T09:14:06Z',
  step: 'fetch',
  text,
})

export const projectOf = (changes: Partial<Project> = {}): Project => ({
  ...(projectDocument.example as Project),
  ...changes,
})

export const runOf = (changes: Partial<Run> = {}): Run => ({ ...(runDocument.example as Run), ...changes })

export const succeeded = (changes: Partial<Run> = {}): Run =>
  runOf({ status: 'succeeded', error: null, restored_sha: null, steps: [], ...changes })

export interface Ended {
  code: number | string | undefined
  stdout: string
  stderr: string
}

/** A command in this process, to its end. */
export async function qd(...args: string[]): Promise<Ended> {
  const write = (stream: NodeJS.WriteStream) => vi.spyOn(stream, 'write').mockReturnValue(true)
  const [out, err] = [write(process.stdout), write(process.stderr)]
  const written = (spy: typeof out) => spy.mock.calls.map(([chunk]) => chunk).join('')
  const { argv } = process
  // Errors look there for --json.
  process.argv = ['node', 'qd', ...args]
  try {
    await createProgram().parseAsync(args, { from: 'user' }).catch(fail)
    return { code: process.exitCode ?? 0, stdout: written(out), stderr: written(err) }
  } finally {
    process.argv = argv
    process.exitCode = undefined
    out.mockRestore()
    err.mockRestore()
  }
}

export interface Running {
  child: ChildProcess
  stdout(): string
  ended: Promise<Ended>
}

/** A command in a process of its own, with `input` on its standard input. */
export function startQd(args: string[], environment: Record<string, string> = {}, input?: string): Running {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...environment },
  })
  child.stdin?.end(input)
  const pieces = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', piece => {
      pieces[name] += piece
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, ...pieces }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, stdout: () => pieces.stdout, ended }
}

/** The command line on a terminal. */
export const qdOnTerminal = (args: string[], answers: [question: string, keys: string][]) =>
  onTerminal([process.execPath, join(import.meta.dirname, 'main.ts'), ...args], answers)
