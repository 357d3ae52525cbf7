/** A real Prometheus of one's own, in a throw-away directory, on a port that it chooses. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'

/** What its HTTP API answers, as far as tests read it. */
// biome-ignore lint/suspicious/noExplicitAny: each question has an answer of its own shape
type Answer = any

export class Prometheus {
  /** Where its files are: `prometheus.yml`, and what that names. */
  readonly directory: string
  readonly #env: NodeJS.ProcessEnv
  #process: ChildProcess | undefined
  #port = ''

  private constructor(directory: string, env: NodeJS.ProcessEnv) {
    this.directory = directory
    this.#env = env
  }

  /** Why there is none on this machine, or undefined. */
  static missing(): string | undefined {
    const isThere = ['prometheus', 'promtool'].every(name => !spawnSync(name, ['--version']).error)
    return isThere ? undefined : 'Prometheus is not installed (Debian: prometheus)'
  }

  /** `files` by name; one of them is `prometheus.yml`. */
  static async start(
    files: Readonly<Record<string, string>>,
    env: NodeJS.ProcessEnv = {},
  ): Promise<Prometheus> {
    const directory = mkdtempSync(join(tmpdir(), 'qd-prometheus-'))
    mkdirSync(join(directory, 'data'))
    const prometheus = new Prometheus(directory, env)
    await prometheus.#up(files)
    return prometheus
  }

  get pid(): number {
    return this.#process!.pid!
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** `path` comes after `/api/v1/`; answers with the `data` of the reply, or throws what it says. */
  async api(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await fetch(`${this.url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const reply = JSON.parse(await response.text())
    if (reply.status !== 'success') throw new Error(`Prometheus: ${reply.error}`)
    return reply.data
  }

  /** Changes files and has them read again. */
  async reload(files: Readonly<Record<string, string>>): Promise<void> {
    this.#write(files)
    const response = await fetch(`${this.url}/-/reload`, { method: 'POST' })
    if (!response.ok) throw new Error(`Prometheus did not reload: ${await response.text()}`)
  }

  /** Ends it in order, and starts it with other files on the data that it has. */
  async restart(files: Readonly<Record<string, string>>): Promise<void> {
    await this.#down('SIGTERM')
    await this.#up(files)
  }

  async remove(): Promise<void> {
    await this.#down('SIGKILL')
    rmSync(this.directory, { recursive: true, force: true })
  }

  #write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.directory, name), text)
  }

  async #up(files: Readonly<Record<string, string>>): Promise<void> {
    this.#write(files)
    const args = [
      `--config.file=${this.directory}/prometheus.yml`,
      `--storage.tsdb.path=${this.directory}/data`,
      '--web.listen-address=127.0.0.1:0',
      '--web.enable-lifecycle',
    ]
    const child = spawn('prometheus', args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...this.#env },
    })
    this.#process = child
    let said = ''
    child.stderr.on('data', chunk => {
      said = (said + chunk).slice(-20_000)
    })
    // It first repeats the port that it was given, 0, and then tells the one that it took.
    const listening = () => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended: ${said}`)
      return said.match(/address=127\.0\.0\.1:([1-9]\d*)/)?.[1]
    }
    this.#port = await until('Prometheus listens', listening, 30_000)
    const isReady = () =>
      fetch(`${this.url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until('Prometheus is ready', isReady, 30_000)
  }

  async #down(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}
