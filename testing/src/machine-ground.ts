/**
 * What a machine stands on and what outlives its boots: namespaces of mounts, network and processes, kept by one `cat`.
 * When that ends, be it because the test process died and its pipe closed, the kernel ends every process on it and
 * drops all mounts, so that nothing can be left behind.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { succeed } from './machine-command.ts'
import { networkBatch } from './machine-network.ts'
import { rootFolder, rootMounts } from './machine-root.ts'

const keeper = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', '--', 'cat']
const startLimitMs = 10_000

export class MachineGround {
  readonly #keeper: ChildProcess
  readonly #ended: Promise<unknown>

  private constructor(child: ChildProcess) {
    this.#keeper = child
    this.#ended = once(child, 'exit')
  }

  static async lay(address: string): Promise<MachineGround> {
    const ground = new MachineGround(spawn('unshare', keeper, { stdio: 'pipe' }))
    try {
      await ground.#echo()
      for (const mount of rootMounts) await succeed(ground.enter(...mount))
      await succeed(ground.enter('ip', '-batch', '-'), { input: networkBatch(address) })
    } catch (error) {
      await ground.remove()
      throw error
    }
    return ground
  }

  /** The machine's root file system as a path of the host, whether it is running or not. */
  get root(): string {
    return `/proc/${this.#keeper.pid}/root${rootFolder}`
  }

  /** A program of the host, in the namespaces of the ground. */
  enter(...argv: string[]): string[] {
    const of = (kind: string) => `/proc/${this.#keeper.pid}/ns/${kind}`
    const spaces = [`--mount=${of('mnt')}`, `--net=${of('net')}`, `--pid=${of('pid_for_children')}`]
    return ['nsenter', ...spaces, '--', ...argv]
  }

  async remove(): Promise<void> {
    this.#keeper.stdin?.destroy()
    this.#keeper.kill('SIGKILL')
    await this.#ended
  }

  /** What comes back from `cat` shows that the namespaces are there. */
  async #echo(): Promise<void> {
    let said = ''
    this.#keeper.stderr?.on('data', chunk => {
      said += chunk
    })
    this.#keeper.stdin?.on('error', () => undefined)
    this.#keeper.stdin?.write('\n')
    const first = once(this.#keeper.stdout!, 'data', { signal: AbortSignal.timeout(startLimitMs) })
    const end = this.#ended.then(() => Promise.reject(new Error(`no namespaces for a machine: ${said}`)))
    await Promise.race([first, end])
  }
}
