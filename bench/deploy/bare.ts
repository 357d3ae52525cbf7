/** The bare script that a deploy is compared with: fetch, merge, restart, poll, and nothing to fall back on. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { verifyTiming } from '../../agent/src/verify.ts'

const program = promisify(execFile)

export class BareScript {
  readonly #work: string
  readonly #environment: string
  readonly #port: number
  #service: ChildProcess | undefined

  constructor(directory: string, url: string, port: number) {
    this.#work = join(directory, 'bare')
    this.#environment = join(directory, 'bare-environment')
    this.#port = port
    if (existsSync(this.#work)) return
    execFileSync('git', ['clone', '--quiet', url, this.#work])
    execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', this.#environment])
  }

  async deploy(): Promise<void> {
    await program('git', ['-C', this.#work, 'fetch', '--quiet', 'origin', 'main'])
    await program('git', ['-C', this.#work, 'merge', '--quiet', '--ff-only', 'origin/main'])
    await this.restart()
  }

  /** Polls by the very rule that a verify has. */
  async restart(): Promise<void> {
    const { stdout } = await program('git', ['-C', this.#work, 'rev-parse', 'HEAD'])
    const sha = stdout.trim()
    await this.stop()
    this.#service = spawn(join(this.#environment, 'bin/python'), ['-m', 'app'], {
      cwd: this.#work,
      stdio: 'ignore',
      env: { PORT: String(this.#port), QUARTERDECK_SHA: sha, PYTHONDONTWRITEBYTECODE: '1' },
    })
    const base = `http://${address()}:${this.#port}`
    const { times, apartMs, pollMs } = verifyTiming
    for (let good = 0; ; ) {
      good = (await isGood(base, sha)) ? good + 1 : 0
      if (good === times) return
      await wait(good > 0 ? apartMs : pollMs)
    }
  }

  async stop(): Promise<void> {
    const service = this.#service
    if (!service || service.exitCode !== null) return
    const ended = once(service, 'exit')
    service.kill('SIGTERM')
    await ended
  }
}

async function isGood(base: string, sha: string): Promise<boolean> {
  try {
    const [health, readiness, version] = await Promise.all(
      ['/healthz', '/readyz', '/version'].map(
        async path => (await fetch(base + path)).json() as Promise<Record<string, unknown>>,
      ),
    )
    return health?.ok === true && readiness?.ok === true && version?.sha === sha
  } catch {
    return false
  }
}

const address = () =>
  Object.values(networkInterfaces())
    .flatMap(list => list ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.2'
