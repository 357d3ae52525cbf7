/** The two units: control with the edge as a user of its own, and the agent as root. */
import { join } from 'node:path'
import { agentHardening, controlHardening } from './hardening.ts'
import { agentUnit, type Code, controlUnit, places } from './places.ts'
import { commandLine, type Directive, quoted, unitText } from './unit-text.ts'
import { controlUser } from './users.ts'

/** Beyond what requests under way are given: the database is closed, the log written. */
const spareStopS = 20
const agentStopS = 60

export interface ControlSettings {
  port: number
  stop_s: number
}

export function controlUnitText(code: Code, { port, stop_s }: ControlSettings): string {
  const options = ['--home', places.control, '--config', places.config, '--no-agent', '--no-demo']
  return unitText(controlUnit, [
    { name: 'Unit', directives: unitSection('Quarterdeck: control and edge', code, []) },
    {
      name: 'Service',
      directives: [
        ['Type', 'exec'],
        ['User', controlUser],
        ['Group', controlUser],
        ...service(code, 'quarterdeck', ['up', ...options]),
        ['TimeoutStopSec', String(stop_s + spareStopS)],
        ['KillMode', 'mixed'],
        ...controlHardening(port, [code.root, code.node]),
      ],
    },
    wanted,
  ])
}

export function agentUnitText(code: Code): string {
  const options = ['--home', places.data, '--control', join(places.control, 'agent.sock')]
  return unitText(agentUnit, [
    {
      name: 'Unit',
      directives: unitSection('Quarterdeck: agent of this machine', code, [
        ['Wants', controlUnit],
        ['After', controlUnit],
      ]),
    },
    {
      name: 'Service',
      directives: [
        ['Type', 'exec'],
        // Not root's own, whose settings of git and pip are the operator's.
        ['Environment', quoted(`HOME=${places.agent}`)],
        ...service(code, 'quarterdeck-agent', ['agent', ...options]),
        ['TimeoutStopSec', String(agentStopS)],
        // A restart leaves alone what it has started.
        ['KillMode', 'process'],
        ...agentHardening([code.root, code.node]),
      ],
    },
    wanted,
  ])
}

const wanted = { name: 'Install', directives: [['WantedBy', 'multi-user.target']] } as const

const unitSection = (title: string, { root, sha }: Code, more: readonly Directive[]): Directive[] => [
  ['Description', title],
  ['Documentation', `file://${encodeURI(join(root, 'handbook/installing.md'))}`.replaceAll('%', '%%')],
  // systemd leaves X- alone. Another commit makes another file, and so a restart.
  ['X-Quarterdeck-Commit', sha],
  ...(more.length > 0 ? more : [['After', 'network.target'] as const]),
  // Whatever is in the way, a port or a database, may be gone in a moment.
  ['StartLimitIntervalSec', '0'],
]

const service = ({ root, node }: Code, cache: string, args: readonly string[]): Directive[] => [
  ['ExecStart', commandLine(node, join(root, 'cli/src/main.ts'), ...args)],
  ['Restart', 'always'],
  ['RestartSec', '2'],
  // Makes a start about three times as fast.
  ['CacheDirectory', cache],
  ['CacheDirectoryMode', '0700'],
  ['Environment', quoted(`NODE_COMPILE_CACHE=/var/cache/${cache}`)],
  ['StandardInput', 'null'],
  ['LimitNOFILE', '65536'],
]
