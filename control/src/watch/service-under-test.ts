/** Services for tests: one that answers as the test says, and how they are watched. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { apiPaths } from './look.ts'
import type { ApiInstance, MonitoredInstance, MonitoredService } from './service.ts'

export const sha = 'a'.repeat(40)

export type Answering = (request: IncomingMessage, response: ServerResponse) => void

export class ServiceUnderTest {
  /** By path; without one, as a service in good order answers. */
  answers: Record<string, Answering> = {}
  readonly #server = createServer((request, response) => {
    const { url = '' } = request
    const answer = this.answers[url] ?? this.answers['*'] ?? usual[url]
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })

  static async start(port = 0): Promise<ServiceUnderTest> {
    const service = new ServiceUnderTest()
    await service.listen(port)
    onTestFinished(() => service.stop())
    return service
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise(resolve => this.#server.close(resolve))
  }
}

const text =
  (body: string, status = 200, type = 'application/json'): Answering =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(body)
  }
export const answering = text

const usual: Record<string, Answering> = {
  '/healthz': text('{"ok":true}'),
  '/readyz': text('{"ok":true}'),
  '/version': text(`{"name":"hello","sha":"${sha}"}`),
  '/metrics': text('http_requests_total{method="GET",endpoint="/"} 3\n', 200, 'text/plain; version=0.0.4'),
}

export const apiInstance = (
  port: number,
  change: Partial<ApiInstance> = {},
  id = 'hello@web-1',
): MonitoredInstance => ({
  ...{ id, machine: id.split('@')[1] ?? null, kind: 'api' },
  server: { host: '127.0.0.1', port, isTls: false },
  paths: apiPaths('', '/metrics'),
  expected: { names: ['hello'], sha },
  ...change,
})

export const serviceOf = (
  instances: readonly MonitoredInstance[],
  change: Partial<MonitoredService> = {},
): MonitoredService => ({
  ...{ id: 'hello', name: 'Hello', group: 'production', description: null, kind: 'project' },
  ...{ dependsOn: [], site: null, runbook: null, deployedAt: null },
  instances,
  ...change,
})
