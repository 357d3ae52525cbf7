/** `qd agent`: the agent of this machine as a process of its own, beside `qd up --no-agent`. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { takeHome } from '@quarterdeck/control/client'
import { Command, Option } from 'commander'
import { createLog, type Level, levels } from './log.ts'
import { type CommonOptions, port, withCommonOptions } from './options.ts'
import { root } from './root.ts'
import { untilStopped } from './until-stopped.ts'

/** Its own part of the home, which only one agent uses at a time. */
export const agentHome = (home: string) => join(home, 'agent')

/** Where it answers how it is, beside the public port of the environment. */
const usualPort = 8301

/** Where control waits for it. */
export const agentSocket = (home: string) => join(home, 'agent.sock')

interface AgentOptions extends CommonOptions {
  units?: 'process' | 'systemd'
  control?: string
  port: number
  log: Level
}

export const agentCommand = (): Command =>
  withCommonOptions(
    new Command('agent').description('run this machine’s agent as a process of its own (see up --no-agent)'),
  )
    .addOption(
      new Option(
        '--units <engine>',
        'what keeps units running (default: systemd where root runs on it)',
      ).choices(['process', 'systemd']),
    )
    .option('--control <socket>', 'where control waits (default: agent.sock in the home)', path =>
      resolve(path),
    )
    .addOption(
      new Option('--port <number>', 'where it answers /healthz, /readyz, /version and /metrics')
        .env('QUARTERDECK_AGENT_PORT')
        .argParser(port)
        .default(usualPort),
    )
    .addOption(new Option('--log <level>', 'how much to log').choices(levels).default('info'))
    .action(runAgent)

async function runAgent(options: AgentOptions): Promise<void> {
  const { home, control = agentSocket(home), json, units = usualUnits(), port, log: level } = options
  const { keepConnected, start } = await import('@quarterdeck/agent')
  const log = createLog(level, process.stdout.isTTY && !json)
  const own = takeHome(agentHome(home))
  // What is laid out here is for others to read; what is not lies in directories that are closed to them.
  if (units === 'systemd') process.umask(0o022)
  const agent = await start({ home, name: 'local', root, log, units, port })
  const ended = new AbortController()
  const connection = keepConnected(agent, control, { log, ended: ended.signal })
  log.info({ home, port: agent.port }, 'ready')
  const signal = await untilStopped()
  log.info({ signal }, 'stopping')
  await agent.stop()
  ended.abort()
  await connection
  own.release()
  log.info('stopped')
}

const usualUnits = () =>
  process.getuid?.() === 0 && existsSync('/run/systemd/system') ? 'systemd' : 'process'
