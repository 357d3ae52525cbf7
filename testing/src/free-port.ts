/** A port for a service under test, which cannot be given port 0 and asked which one it took. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * One that nobody listens on. Not one of those that the system gives to whoever asks for any (from 32768): between here
 * and the start of the service, some connection of another test could get it.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(12_000, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>(resolve => {
    server.once('error', () => resolve(false))
    server.listen(port, '0.0.0.0', () => resolve(true))
  })
  await new Promise(resolve => server.close(resolve))
  return isFree ? port : freePort()
}
