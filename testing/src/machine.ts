/**
 * A machine with a real systemd, for tests: boots in less than two seconds, can lose its power and boot again, and
 * leaves nothing behind. Two things are not as on a server: limits of memory and CPU are not enforced where the host
 * has its controllers in cgroup version 1, and what was written but not synced survives a power cut.
 */
import { dirname } from 'node:path'
import { onTestFinished } from 'vitest'
import { MachineBoot } from './machine-boot.ts'
import { MachineCgroup } from './machine-cgroup.ts'
import { command, outputOf, type Ran } from './machine-command.ts'
import { MachineGround } from './machine-ground.ts'
import { machineMissing } from './machine-here.ts'
import { type Answered, askInside, type Question } from './machine-network.ts'
import { furnishRoot } from './machine-root.ts'

const haltSignal = 34 + 3 // SIGRTMIN+3, which Node has no name for
const searchPath = `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`

let count = 0

export interface MachineOptions {
  /** An address that is not loopback, seen only by the machine itself. */
  address?: string
}

export interface RunOptions {
  input?: string
  /** Beside PATH, HOME and LANG; nothing comes from the test's own environment. */
  env?: Record<string, string>
  cwd?: string
  user?: string
  limitMs?: number
}

export class Machine {
  readonly name: string
  readonly address: string
  readonly #ground: MachineGround
  readonly #cgroup: MachineCgroup
  #boot: MachineBoot | undefined

  private constructor(name: string, address: string, ground: MachineGround) {
    this.name = name
    this.address = address
    this.#ground = ground
    this.#cgroup = new MachineCgroup(name)
  }

  /** Why there can be none here, or undefined. */
  static missing(): string | undefined {
    return machineMissing()
  }

  static async boot({ address = '192.0.2.10' }: MachineOptions = {}): Promise<Machine> {
    const missing = Machine.missing()
    if (missing) throw new Error(missing)
    const name = `qd-${process.pid}-${++count}`
    const machine = new Machine(name, address, await MachineGround.lay(address))
    try {
      furnishRoot(machine.root, name)
      await machine.#start()
    } catch (error) {
      await machine.remove()
      throw error
    }
    return machine
  }

  /** Its PID 1, as the host counts. */
  get leaderPid(): number {
    return this.#running().leaderPid
  }

  /** Its root file system as a path of the host, also while it is off; without its /tmp and /run. */
  get root(): string {
    return this.#ground.root
  }

  /** Runs a program inside to its end, as root unless told; it belongs to no unit. */
  async run(file: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Ran> {
    const { input, env, cwd = '/', user, limitMs } = options
    const { home, become } = user === undefined ? { home: '/root', become: [] } : await this.#identity(user)
    const variables = Object.entries({ PATH: searchPath, HOME: home, LANG: 'C.UTF-8', ...env })
    const settings = ['--ignore-environment', `--chdir=${cwd}`, ...variables.map(pair => pair.join('='))]
    const argv = ['env', ...settings, ...become, file, ...args]
    return command(this.#running().enter(...argv), { input, limitMs })
  }

  /** What it printed; throws with the output when it fails. */
  async ok(file: string, ...args: string[]): Promise<string> {
    return outputOf([file, ...args], await this.run(file, args))
  }

  /** Makes an HTTP request inside; one that gets no answer rejects with its `code`, such as ECONNREFUSED. */
  ask(port: number, path: string, question: Question = {}): Promise<Answered> {
    return askInside((...argv) => this.#ground.enter(...argv), port, path, question)
  }

  /** Everything in it ends at once. */
  powerCut(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** In order: its units are stopped. */
  shutDown(): Promise<void> {
    return this.#end(haltSignal)
  }

  /** Boots again on the same files; first shuts down where it still runs. */
  async reboot(): Promise<void> {
    if (this.#boot) await this.shutDown()
    await this.#start()
  }

  /** The machine and its files are gone. */
  async remove(): Promise<void> {
    await this.#ground.remove()
    await this.#boot?.ended
    this.#boot = undefined
    await this.#cgroup.remove()
  }

  async #start(): Promise<void> {
    this.#cgroup.make()
    this.#boot = await MachineBoot.start(this.name, this.#ground, this.#cgroup)
  }

  async #end(signal: NodeJS.Signals | number): Promise<void> {
    await this.#running().end(signal)
    this.#boot = undefined
    // What the former systemd left there is not for the next one to find.
    await this.#cgroup.remove()
  }

  #running(): MachineBoot {
    if (!this.#boot) throw new Error(`The machine ${this.name} is off.`)
    return this.#boot
  }

  /** Not by a login, which would bring up a session and a service manager of the user. */
  async #identity(user: string): Promise<{ home: string; become: string[] }> {
    const [, , , gid = '', , home = '/'] = (await this.ok('getent', 'passwd', user)).split(':')
    return { home, become: ['setpriv', `--reuid=${user}`, `--regid=${gid}`, '--init-groups', '--'] }
  }
}

/** A machine that goes when the test that asked for it ends. */
export async function machineUnderTest(options?: MachineOptions): Promise<Machine> {
  const machine = await Machine.boot(options)
  onTestFinished(() => machine.remove())
  return machine
}
