/** Control for tests: started on a home of its own, asked over real HTTP, with a stand-in for the edge in front. */
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { loadConfig } from './config.ts'
import { type Config, type Control, operatorTokenFile, readToken, start } from './main.ts'

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at field by field
  json: any
}

export interface Asking {
  method?: string
  token?: string
  headers?: Record<string, string>
  body?: unknown
  /** The address that the edge would report. */
  from?: string
  scheme?: 'http' | 'https'
}

export interface ControlUnderTest {
  control: Control
  config: Config
  port: number
  /** The operator's token. */
  token: string
  log: ReturnType<typeof memoryLog>
  ask(host: string, path: string, asking?: Asking): Promise<Reply>
}

export async function controlUnderTest(
  change: Partial<Config> = {},
  clock?: Clock,
): Promise<ControlUnderTest> {
  const home = change.home ?? temporaryDirectory()
  const config: Config = { ...loadConfig({ home }), ...change, home }
  const log = memoryLog()
  let control: Control | undefined
  // It closes no connection by itself: a request on its way, of a test that was held up, would meet a closed one.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    // By its name alone, or as it is looked at from here.
    const named = request.headers.host?.split('.')[0]
    const host = control?.hosts.find(({ name }) => name === named)
    request.headers['x-request-id'] ??= 'test-request'
    if (host) host.handle(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  control = await start(config, {
    log: log.log,
    root: join(import.meta.dirname, '../..'),
    port,
    ...(clock && { clock }),
  })
  onTestFinished(async () => {
    control?.beginStop()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    await control?.stop()
  })
  return { control, config, port, token: readToken(operatorTokenFile(home)) ?? '', log, ask: askerOf(port) }
}

const askerOf =
  (port: number) =>
  (
    host: string,
    path: string,
    { method = 'GET', token, headers, body, from = '203.0.113.9', scheme = 'https' }: Asking = {},
  ) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    const request = send(
      {
        port,
        host: '127.0.0.1',
        path,
        method,
        headers: {
          host,
          'x-forwarded-for': from,
          'x-forwarded-proto': scheme,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(text !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      response => {
        let received = ''
        response.setEncoding('utf8')
        response.once('error', reject)
        response.on('data', chunk => {
          received += chunk
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: received,
            json:
              /json/.test(response.headers['content-type'] ?? '') && received
                ? JSON.parse(received)
                : undefined,
          }),
        )
      },
    )
    request.once('error', reject)
    request.end(text)
    return promise
  }
