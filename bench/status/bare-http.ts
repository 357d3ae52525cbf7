/** A bare node:http server that sends the bytes of a file with given headers, or 304 to whoever knows them, and nothing else. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const bytes = readFileSync(process.argv[2]!)
/** All that there are, and those of a 304. */
const { etag, headers, unchanged } = JSON.parse(process.argv[3]!) as {
  etag: string
  headers: Record<string, string>
  unchanged: Record<string, string>
}

const server = createServer((request, response) => {
  if (request.headers['if-none-match'] === etag) response.writeHead(304, unchanged).end()
  else response.writeHead(200, headers).end(bytes)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`))
