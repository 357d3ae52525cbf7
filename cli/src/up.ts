/** `qd up`: the whole environment on this machine, in one process. */
import * as control from '@quarterdeck/control'
import * as edge from '@quarterdeck/edge'
import { Command, Option } from 'commander'
import { colours } from './colours.ts'
import { createLog, type Level, levels } from './log.ts'
import { type CommonOptions, configOf, port, withCommonOptions } from './options.ts'
import { root } from './root.ts'
import { untilStopped } from './until-stopped.ts'

interface UpOptions extends CommonOptions {
  port?: number
  demo: boolean
  log: Level
}

export const upCommand = (): Command =>
  withCommonOptions(new Command('up').description('run the environment on this machine'))
    .option('--port <number>', 'the public port; 0 takes a free one (QUARTERDECK_PORT; default: 8300)', port)
    .option('--no-demo', 'run without the demo project')
    .addOption(new Option('--log <level>', 'how much to log').choices(levels).default('info'))
    .action(up)

async function up(options: UpOptions): Promise<void> {
  const config = configOf(options)
  const forPeople = process.stdout.isTTY && !options.json
  const log = createLog(options.log, forPeople)
  const home = control.takeHome(config.home)
  try {
    const running = await start(config, log)
    home.announce(announcement(running.port, config))
    if (forPeople) process.stdout.write(welcome(running, config))
    else
      log.info(
        {
          url: running.url(),
          hosts: running.hosts.map(({ name }) => running.url(name)),
          sha: running.sha,
          home: config.home,
        },
        'ready',
      )
    const signal = await untilStopped()
    log.info({ signal }, 'stopping')
    const { cutOff } = await running.stop(config.limits.stop_s * 1000)
    log.info(cutOff > 0 ? { cut_off_requests: cutOff } : {}, 'stopped')
  } finally {
    home.release()
  }
}

interface Running {
  hosts: readonly control.RunningHost[]
  sha: string
  port: number
  url(host?: string): string
  stop(limitMs: number): Promise<{ cutOff: number }>
}

/** The edge first: it owns the port, and says that the rest is starting. */
async function start(config: control.Config, log: ReturnType<typeof createLog>): Promise<Running> {
  const gateway = await edge.start({
    listen: config.listen,
    domain: config.domain,
    trustedProxies: config.trusted_proxies,
    headersTimeoutMs: config.limits.headers_s * 1000,
    requestTimeoutMs: config.limits.request_s * 1000,
    root,
    log,
    url: (listeningPort, host) => control.addresses(config, listeningPort).url(host),
  })
  const { hosts, sha, beginStop, stop } = await control
    .start(config, { log, root, port: gateway.port })
    .catch(async error => {
      await gateway.stop(0)
      throw error
    })
  gateway.serve(hosts.map(host => ({ ...host, ready: async () => (await host.kit.readiness()).ok })))
  return {
    hosts,
    sha,
    port: gateway.port,
    url: host => control.addresses(config, gateway.port).url(host),
    async stop(limitMs) {
      gateway.beginStop()
      beginStop()
      const ended = await gateway.stop(limitMs)
      await stop()
      return ended
    },
  }
}

const announcement = (port: number, { domain, listen }: control.Config): control.Running => ({
  pid: process.pid,
  // Whatever listens everywhere is nearest on the loopback.
  address: listen.address === '0.0.0.0' || listen.address === '::' ? '127.0.0.1' : listen.address,
  port,
  domain,
  started_at: new Date().toISOString(),
})

function welcome({ hosts, sha, url }: Running, { home }: control.Config): string {
  const { bold, cyan, dim, green } = colours(process.stdout)
  const rows: [string, string][] = [
    ['Front page', cyan(url())],
    ...hosts.map(({ title, name }): [string, string] => [title, cyan(url(name))]),
    ['Home', home],
    ['Operator’s token', control.operatorTokenFile(home)],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)
  const seconds = (performance.now() / 1000).toFixed(1)
  return `\n${green('✓')} ${bold('Quarterdeck')} is running ${dim(`(${sha.slice(0, 12)}, ready in ${seconds} s)`)}\n\n${lines.join('\n')}\n\n${dim('Stop with Ctrl+C.')}\n\n`
}
