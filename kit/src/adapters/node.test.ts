import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Kit } from '../kit.ts'
import { countRequest, serveKit } from './node.ts'
import { adapterSuite } from './suite.ts'

const routes = new Set(['/item', '/wait'])

adapterSuite('node:http', async kit => ({
  port: await listening(kit),
  itemTemplate: '/item',
  itemPath: '/item',
}))

async function listening(kit: Kit): Promise<number> {
  const server = createServer(async (request, response) => {
    countRequest(kit, request, response, routes)
    if (await serveKit(kit, request, response)) return
    const path = request.url?.split('?')[0]
    if (path === '/item') response.end('an item')
    else if (path !== '/wait') response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}
