/**
 * Control in a process of its own, reached by its agent over a socket. It is killed when it has heard so many messages of
 * the agent: right before it deals with the next.
 */
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { streamLink } from '@quarterdeck/contract'
import { createLog } from '../../cli/src/log.ts'
import { addresses, loadConfig, start } from '../../control/src/main.ts'
import * as edge from '../../edge/src/main.ts'

const [home, socket, messages] = process.argv.slice(2) as [string, string, string]
const config = loadConfig({ home, port: 0 })
const log = createLog('info', false)
const root = import.meta.dirname
const gateway = await edge.start({
  listen: config.listen,
  domain: config.domain,
  trustedProxies: [],
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  root,
  log,
  url: (port, host) => addresses(config, port).url(host),
})
const control = await start(config, {
  log,
  root,
  port: gateway.port,
  onRoutes: routes => gateway.route(routes),
})
gateway.serve(control.hosts.map(host => ({ ...host, ready: async () => true })))

let left = Number(messages)
// One that was killed has left it behind.
rmSync(socket, { force: true })
createServer(connection => {
  const link = streamLink(connection)
  control.attach({
    ...link,
    onMessage: listener =>
      link.onMessage(text => {
        // Runs are what this is about; what else is told may come at any time.
        if (text.startsWith('{"type":"run_') && left-- === 0) process.kill(process.pid, 'SIGKILL')
        listener(text)
      }),
  })
}).listen(socket, () => log.info({ hosts: [addresses(config, gateway.port).url('admin')] }, 'ready'))
