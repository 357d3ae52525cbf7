/** Programs in a transient unit of systemd: with limits of their own, and ended as a whole. */
import type { Program } from '../runner.ts'
import { stopUnits } from './systemctl.ts'

export interface Confinement {
  /** Of the transient unit, without its ending. */
  readonly unit: string
  readonly user: string
  /** The home of the environment: nothing of it is there but what is named below. */
  readonly home: string
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** A directory that it may write and finds at another place. */
  readonly cache?: { readonly of: string; readonly at: string }
  /** Of root's, with variables that may be secret: systemd reads it, and shows nothing of it. */
  readonly environmentFile?: string
  readonly memoryMax: string
  /** 100 is what everything else on the machine has. */
  readonly cpuWeight: number
}

/** Values of variables may be secret: they are taken from the environment of systemd-run, not from its arguments. */
export function confined(program: Program, confinement: Confinement): Program {
  const { unit, user, home, readable, writable, cache, environmentFile, memoryMax, cpuWeight } = confinement
  const properties = [
    `User=${user}`,
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'ProtectHome=read-only',
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'ProtectKernelTunables=yes',
    'ProtectKernelModules=yes',
    'ProtectControlGroups=yes',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'CapabilityBoundingSet=',
    // What another build shows of itself in /proc, such as its files, is not for this one, though its user is the same.
    'PrivateUsers=yes',
    'UMask=0022',
    // As a unit has it: other projects, the agent's things and the database are not there at all.
    `TemporaryFileSystem=${home}:ro`,
    ...readable.map(path => `BindReadOnlyPaths=${path}`),
    ...writable.flatMap(path => [`BindPaths=${path}`, `ReadWritePaths=${path}`]),
    ...(cache ? [`BindPaths=${cache.of}:${cache.at}`, `ReadWritePaths=${cache.at}`] : []),
    ...(environmentFile === undefined ? [] : [`EnvironmentFile=-${environmentFile}`]),
    `MemoryMax=${memoryMax}`,
    `CPUWeight=${cpuWeight}`,
    `IOWeight=${cpuWeight}`,
    'TasksMax=1024',
  ]
  return {
    file: 'systemd-run',
    args: [
      ...['--quiet', '--wait', '--pipe', '--collect', '--service-type=exec', `--unit=${unit}`],
      `--working-directory=${program.cwd}`,
      ...properties.flatMap(property => ['--property', property]),
      ...Object.keys(program.env).map(name => `--setenv=${name}`),
      '--',
      program.file,
      ...program.args,
    ],
    cwd: '/',
    env: program.env,
    ending: stopUnits([`${unit}.service`]),
  }
}
