/** From what is to be started to the text of its unit files. Pure: golden files show what comes out. */
import type { Program } from '../runner.ts'
import { mergeOwnUnit } from './own-unit-file.ts'
import { hardening } from './systemd-hardening.ts'
import { alignFile, unitName, userName } from './systemd-names.ts'
import type { UnitStart } from './unit-engine.ts'
import { type Directive, type Section, unitText } from './unit-file.ts'
import { commandLine, environmentValue, plainValue } from './unit-file-quoting.ts'

/** Since then a crash loop slows down by itself. */
const versionWithSteps = 254

export interface UnitLimits {
  readonly memoryMax: string
  /** Of all cores together, such as `200%`; null: no limit. */
  readonly cpuQuota: string | null
  readonly tasksMax: number
  readonly openFiles: number
  /** So many starts within the interval, and systemd gives up. */
  readonly startLimit: { readonly intervalS: number; readonly burst: number }
}

export const defaultUnitLimits: UnitLimits = {
  memoryMax: '2G',
  cpuQuota: null,
  tasksMax: 512,
  openFiles: 65_536,
  startLimit: { intervalS: 300, burst: 30 },
}

export interface UnitFilesOptions {
  readonly limits: UnitLimits
  readonly stopLimitMs: number
  /** Of systemd. */
  readonly version: number
  readonly hidden: readonly string[]
}

/** By file name: the service, and what starts it or runs before it. */
export function unitFiles(start: UnitStart, options: UnitFilesOptions): Record<string, string> {
  const name = unitName(start.project.name, start.process.name)
  const service = mergeOwnUnit(serviceOf(name, start, options), start)
  const files: [string, Section[]][] = [[`${name}.service`, service]]
  if (start.process.timer) files.push([`${name}.timer`, timerOf(start)])
  if (takesSocket(start)) files.push([`${name}.socket`, socketOf(name, start)])
  if (start.align) files.push([alignFile(name), alignOf(start, start.align)])
  return Object.fromEntries(files.map(([file, sections]) => [file, unitText(file, sections)]))
}

export const takesSocket = ({ process }: UnitStart) => process.socket === true && process.port !== null

function serviceOf(name: string, start: UnitStart, options: UnitFilesOptions): Section[] {
  const { intervalS, burst } = options.limits.startLimit
  const socket: Directive[] = takesSocket(start)
    ? [
        ['Requires', `${name}.socket`],
        ['After', `${name}.socket`],
      ]
    : []
  const unit: Directive[] = [
    ['Description', plainValue(`Quarterdeck project ${start.project.name}: ${start.process.name}`)],
    ['Wants', 'network-online.target'],
    ['After', 'network-online.target'],
    ...socket,
    ...alignBefore(name, start),
    ['StartLimitIntervalSec', String(intervalS)],
    ['StartLimitBurst', String(burst)],
  ]
  const sections: Section[] = [
    { name: 'Unit', directives: unit },
    { name: 'Service', directives: serviceDirectives(name, start, options) },
  ]
  return start.process.timer ? sections : [...sections, wantedBy('multi-user.target')]
}

function serviceDirectives(name: string, start: UnitStart, options: UnitFilesOptions): Directive[] {
  const { project, process, program, layout } = start
  const user = userName(project.name)
  return [
    ['Type', process.timer ? 'oneshot' : 'exec'],
    ['User', user],
    ['Group', user],
    ['WorkingDirectory', plainValue(program.cwd)],
    ...(takesSocket(start) ? [['Sockets', `${name}.socket`] as const] : []),
    ['ExecStart', commandLine(program.file, program.args)],
    ...environmentOf(program),
    ...(start.environmentFiles ?? []).map(file => ['EnvironmentFile', `-${plainValue(file)}`] as const),
    ...(process.timer ? [] : restartPolicy(options.version)),
    ['TimeoutStopSec', `${Math.max(1, options.stopLimitMs)}ms`],
    ['KillMode', 'mixed'],
    ['StandardInput', 'null'],
    ['StandardOutput', 'journal'],
    ['StandardError', 'inherit'],
    ['SyslogIdentifier', name],
    ...limitsOf(options.limits),
    ...hardening({
      layout,
      listensOn: takesSocket(start) ? null : process.port,
      hidden: options.hidden,
    }),
  ]
}

function environmentOf({ env }: Program): Directive[] {
  return Object.entries(env).map(([name, value]) => ['Environment', environmentValue(name, value)])
}

/** Also after an end without an error: a server or a worker has no business to end. */
function restartPolicy(version: number): Directive[] {
  const steps: Directive[] = [
    ['RestartSteps', '5'],
    ['RestartMaxDelaySec', '30'],
  ]
  return [['Restart', 'always'], ['RestartSec', '1'], ...(version >= versionWithSteps ? steps : [])]
}

function limitsOf({ memoryMax, cpuQuota, tasksMax, openFiles }: UnitLimits): Directive[] {
  return [
    ['MemoryMax', plainValue(memoryMax)],
    ...(cpuQuota === null ? [] : [['CPUQuota', plainValue(cpuQuota)] as const]),
    ['TasksMax', String(tasksMax)],
    ['LimitNOFILE', String(openFiles)],
  ]
}

/** Wanted, not required: aligning never stops a start. It runs again before every one, whoever asks for it. */
function alignBefore(name: string, { align }: UnitStart): Directive[] {
  if (!align) return []
  return [
    ['Wants', alignFile(name)],
    ['After', alignFile(name)],
  ]
}

/**
 * Root's, and for that reason not an `ExecStartPre=+` of the service: there it would get the project's variables, such as
 * LD_PRELOAD, and would not see the environment's home, because what hides that counts for such a command, too.
 */
function alignOf({ project, process, alignUnless }: UnitStart, align: Program): Section[] {
  return [
    {
      name: 'Unit',
      directives: [
        ['Description', plainValue(`Aligns ${process.name} of ${project.name} with its working copy`)],
        ...(alignUnless === undefined
          ? []
          : [['ConditionPathExists', `!${plainValue(alignUnless)}`] as const]),
        // It may run as often as the unit is started, which has a limit of its own.
        ['StartLimitIntervalSec', '0'],
      ],
    },
    {
      name: 'Service',
      directives: [
        ['Type', 'oneshot'],
        ['WorkingDirectory', plainValue(align.cwd)],
        ['ExecStart', commandLine(align.file, align.args)],
        ...environmentOf(align),
        ['TimeoutStartSec', '60'],
      ],
    },
  ]
}

function timerOf({ project, process }: UnitStart): Section[] {
  const timer = process.timer!
  // OnActiveSec: the other counts from a first time, which somebody has to begin with.
  const times: Directive[] =
    'at' in timer
      ? [
          ['OnCalendar', `*-*-* ${timer.at}:00 UTC`],
          ['Persistent', 'true'],
        ]
      : [
          ['OnActiveSec', String(timer.every_s)],
          ['OnUnitActiveSec', String(timer.every_s)],
        ]
  return [
    {
      name: 'Unit',
      directives: [['Description', plainValue(`When ${process.name} of ${project.name} runs`)]],
    },
    { name: 'Timer', directives: [...times, ['AccuracySec', '1s']] },
    wantedBy('timers.target'),
  ]
}

/** systemd holds it open over every restart, so that who comes meanwhile waits and is not refused. */
function socketOf(name: string, { project, process }: UnitStart): Section[] {
  return [
    {
      name: 'Unit',
      directives: [['Description', plainValue(`Port ${process.port} of ${project.name}`)]],
    },
    {
      name: 'Socket',
      directives: [
        ['ListenStream', `0.0.0.0:${process.port}`],
        ['Service', `${name}.service`],
        ['Backlog', '4096'],
        ['NoDelay', 'true'],
      ],
    },
    wantedBy('sockets.target'),
  ]
}

const wantedBy = (target: string): Section => ({ name: 'Install', directives: [['WantedBy', target]] })
