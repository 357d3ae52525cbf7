/** A service as people write it, on the Node kit: `service.ts KEEP_ALIVE_MS`, which is how long it keeps an idle connection. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { quarterdeck } from '@quarterdeck/kit/node'

const server = createServer(
  quarterdeck(
    { name: 'hello', endpointOf: () => '/items/:id' },
    (_request, response) => void response.end('an item'),
  ),
)
server.keepAliveTimeout = Number(process.argv[2])
server.listen(0, '0.0.0.0', () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`))
process.once('SIGTERM', () => process.exit())
