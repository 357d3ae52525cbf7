/**
 * Where the agent of this machine comes in when it is a process of its own: a socket in the home that only control's user
 * and root can open.
 */
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { streamLink } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import type { Fleet } from './fleet.ts'

export async function openAgentDoor(fleet: Fleet, path: string, log: Logger): Promise<Server> {
  // The home is taken for this process: what lies there is left over from one that was killed.
  rmSync(path, { force: true })
  const server = createServer(connection => fleet.attach(streamLink(connection)))
  server.on('error', error => log.error({ err: error }, 'the agent’s door failed'))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return server
}
