/** A service that takes messages over HTTP, for tests: it notes what came, and goes wrong as it is told to. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Answered = [number, Record<string, string>?]

export interface ServiceUnderTest {
  readonly url: string
  readonly received: Received[]
  /** Status and headers of the answers, when they are known; hang: none at all. */
  answer: () => Answered | 'hang' | Promise<Answered>
  stop(): Promise<void>
}

export async function startService(): Promise<ServiceUnderTest> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) })
    const answer = await service.answer()
    if (answer !== 'hang') response.writeHead(...answer).end('sentinel')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const service: ServiceUnderTest = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/sentinel-secret`,
    received,
    answer: () => [200],
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return service
}
