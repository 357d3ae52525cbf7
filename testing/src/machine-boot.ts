/** One boot of a machine, from the start of its systemd to the end of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { MachineCgroup } from './machine-cgroup.ts'
import { command } from './machine-command.ts'
import type { MachineGround } from './machine-ground.ts'
import { rootFolder } from './machine-root.ts'
import { until } from './until.ts'

const checkout = join(import.meta.dirname, '../..')
const launcher = join(import.meta.dirname, 'machine-launch.ts')
const bootLimitMs = 20_000
const endLimitMs = 30_000
const consoleTailLength = 4_000

export class MachineBoot {
  readonly #name: string
  readonly #nspawn: ChildProcess
  readonly ended: Promise<unknown>
  #leaderPid = 0
  #console = ''

  private constructor(name: string, nspawn: ChildProcess) {
    this.#name = name
    this.#nspawn = nspawn
    this.ended = once(nspawn, 'close')
    for (const stream of [nspawn.stdout, nspawn.stderr]) {
      stream?.on('data', chunk => {
        this.#console = (this.#console + chunk).slice(-consoleTailLength)
      })
    }
  }

  static async start(name: string, ground: MachineGround, cgroup: MachineCgroup): Promise<MachineBoot> {
    const launch = [process.execPath, launcher, cgroup.inside, ...nspawnCommand(name)]
    const [file = '', ...args] = ground.enter(...launch)
    const boot = new MachineBoot(name, spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] }))
    boot.#leaderPid = await boot.#reach('PID 1 is systemd', () => cgroup.leader())
    await boot.#reach('the units of multi-user.target are started', () => boot.#isUp())
    return boot
  }

  /** The machine's PID 1, as the host counts. */
  get leaderPid(): number {
    return this.#leaderPid
  }

  /** A program of the machine. */
  enter(...argv: string[]): string[] {
    return ['nsenter', '--target', String(this.#leaderPid), '--all', '--', ...argv]
  }

  /** Signals PID 1 and waits for the end of everything. */
  async end(signal: NodeJS.Signals | number): Promise<void> {
    if (!this.#hasEnded()) process.kill(this.#leaderPid, signal)
    await this.#withConsole(() => until(`${this.#name} ends`, () => this.#hasEnded(), endLimitMs))
    await this.ended
  }

  /** Units of the test's own that fail are no reason to call the boot failed: degraded is up. */
  async #isUp(): Promise<boolean> {
    const asked = this.enter('systemctl', 'is-system-running', '--wait')
    const { stdout } = await command(asked, { limitMs: bootLimitMs })
    return /^(?:running|degraded)$/m.test(stdout)
  }

  #reach<T>(
    what: string,
    condition: () => T | undefined | false | Promise<T | undefined | false>,
  ): Promise<T> {
    const whileAlive = () => {
      if (this.#hasEnded()) throw new Error(`${this.#name} ended before ${what}.`)
      return condition()
    }
    return this.#withConsole(() => until(`${this.#name}: ${what}`, whileAlive, bootLimitMs))
  }

  #hasEnded(): boolean {
    return this.#nspawn.exitCode !== null || this.#nspawn.signalCode !== null
  }

  async #withConsole<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw new Error(`${(error as Error).message}\nIts console:\n${this.#console}`, { cause: error })
    }
  }
}

function nspawnCommand(name: string): string[] {
  const settings = [
    '--quiet',
    `--directory=${rootFolder}`,
    `--machine=${name}`,
    `--hostname=${name}`,
    // Neither a machined nor a systemd of the host is asked.
    '--register=no',
    '--keep-unit',
    '--private-users=no',
    '--link-journal=no',
    '--resolv-conf=off',
    '--timezone=off',
    '--console=pipe',
    // That of the ground, which has its address already and keeps it over a reboot.
    '--network-namespace-path=/proc/1/ns/net',
    // It may lie in /tmp, which is empty in a machine, or on another file system than the root.
    `--bind-ro=${checkout}`,
  ]
  return [
    '/usr/bin/systemd-nspawn',
    ...settings,
    '--boot',
    '--',
    '--unit=multi-user.target',
    '--show-status=no',
  ]
}
