/** `qd up`: the whole environment on this machine, in one process. */
import { type Config, operatorTokenFile, type Running, takeHome } from '@quarterdeck/control/client'
import { Command, Option } from 'commander'
import type { Logger } from 'pino'
import { agentSocket } from './agent.ts'
import { colours } from './colours.ts'
import { readDemo, wantDemo } from './demo/state.ts'
import type { Environment } from './environment.ts'
import { createLog, type Level, levels } from './log.ts'
import { type CommonOptions, configOf, port, withCommonOptions } from './options.ts'
import { untilStopped } from './until-stopped.ts'

interface UpOptions extends CommonOptions {
  port?: number
  demo: boolean
  agent: boolean
  log: Level
}

export const upCommand = (): Command =>
  withCommonOptions(new Command('up').description('run the environment on this machine'))
    .option('--port <number>', 'the public port; 0 takes a free one (QUARTERDECK_PORT; default: 8300)', port)
    .option('--no-demo', 'run without the sample projects that a first start brings')
    .option('--no-agent', 'let this machine’s agent be a process of its own (qd agent)')
    .addOption(new Option('--log <level>', 'how much to log').choices(levels).default('info'))
    .action(up)

async function up(options: UpOptions): Promise<void> {
  // Loaded only here: every other command does without.
  const { startEnvironment } = await import('./environment.ts')
  const config = configOf(options)
  const forPeople = process.stdout.isTTY && !options.json
  const log = createLog(options.log, forPeople)
  const home = takeHome(config.home)
  const hasDemo = options.demo && options.agent
  if (hasDemo) wantDemo(config)
  try {
    const running = await startEnvironment(
      config,
      log,
      options.agent ? {} : { agentSocket: agentSocket(config.home) },
    )
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
    const demo = hasDemo ? demoOf(running, config, log, forPeople) : undefined
    const signal = await untilStopped()
    log.info({ signal }, 'stopping')
    await (await demo)?.stop()
    const { cutOff, services } = await running.stop(config.limits.stop_s * 1000)
    if (services.length > 0)
      log.info({ services }, 'services keep running, and are found again at the next start')
    log.info(cutOff > 0 ? { cut_off_requests: cutOff } : {}, 'stopped')
  } finally {
    home.release()
  }
}

/** Loaded only where there is one. */
async function demoOf({ url }: Environment, { home }: Config, log: Logger, forPeople: boolean) {
  if (!readDemo(home)) return undefined
  const [{ startDemo }, { telling }] = await Promise.all([
    import('./demo/demo.ts'),
    import('./demo/telling.ts'),
  ])
  return startDemo({ home, url, log, tell: telling(log, forPeople) })
}

const announcement = (port: number, { domain, listen }: Config): Running => ({
  pid: process.pid,
  // Whatever listens everywhere is nearest on the loopback.
  address: listen.address === '0.0.0.0' || listen.address === '::' ? '127.0.0.1' : listen.address,
  port,
  domain,
  started_at: new Date().toISOString(),
})

function welcome({ hosts, sha, url }: Environment, { home }: Config): string {
  const { bold, cyan, dim, green } = colours(process.stdout)
  const rows: [string, string][] = [
    ['Front page', cyan(url())],
    ...hosts.map(({ title, name }): [string, string] => [title, cyan(url(name))]),
    ['Home', home],
    ['Operator’s token', operatorTokenFile(home)],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)
  const seconds = (performance.now() / 1000).toFixed(1)
  return `\n${green('✓')} ${bold('Quarterdeck')} is running ${dim(`(${sha.slice(0, 12)}, ready in ${seconds} s)`)}\n\n${lines.join('\n')}\n\n${dim('Stop with Ctrl+C.')}\n\n`
}
