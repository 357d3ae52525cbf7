/** A real PostgreSQL of one's own: a throw-away cluster that listens on a socket in its own directory. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { until } from './until.ts'

export class Postgres {
  readonly #directory: string
  readonly #identity: { uid?: number; gid?: number }
  #server: ChildProcess | undefined
  #databases = 0

  private constructor(directory: string, identity: { uid?: number; gid?: number }) {
    this.#directory = directory
    this.#identity = identity
  }

  /** Why there is none on this machine, or undefined. */
  static missing(): string | undefined {
    return programs() ? undefined : 'PostgreSQL is not installed (Debian: postgresql)'
  }

  static async start(): Promise<Postgres> {
    const directory = mkdtempSync(join(tmpdir(), 'qd-postgres-'))
    const identity = serverIdentity()
    if (identity.uid !== undefined && identity.gid !== undefined)
      chownSync(directory, identity.uid, identity.gid)
    const postgres = new Postgres(directory, identity)
    postgres.#run('initdb', [
      '--pgdata',
      join(directory, 'data'),
      '--username=quarterdeck',
      '--auth=trust',
      '--no-sync',
      '--locale=C.UTF-8',
      '--encoding=UTF8',
    ])
    await postgres.up()
    return postgres
  }

  async up(): Promise<void> {
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${this.#directory}`,
      'fsync=off',
      'max_connections=60',
      'shared_buffers=16MB',
    ]
    this.#server = spawn(
      join(programs()!, 'postgres'),
      ['-D', join(this.#directory, 'data'), ...settings.flatMap(setting => ['-c', setting])],
      { stdio: 'ignore', cwd: this.#directory, ...this.#identity },
    )
    await until('PostgreSQL answers', () => this.#answers(), 30_000)
  }

  /** Ends it at once, as a power cut would end its clients' connections. */
  async down(): Promise<void> {
    const server = this.#server
    if (!server || server.exitCode !== null) return
    const ended = new Promise(resolve => server.once('exit', resolve))
    server.kill('SIGQUIT')
    await ended
    this.#server = undefined
  }

  async remove(): Promise<void> {
    await this.down()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    const name = `test_${++this.#databases}`
    await this.query(`CREATE DATABASE ${name}`)
    return this.#url(name)
  }

  async query(statement: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.#url(database) })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }

  #url(database: string): string {
    return `postgresql://quarterdeck@localhost/${database}?host=${encodeURIComponent(this.#directory)}`
  }

  async #answers(): Promise<boolean> {
    if (this.#server?.exitCode !== null) throw new Error('PostgreSQL ended while starting')
    return this.query('SELECT 1').then(
      () => true,
      () => false,
    )
  }

  #run(program: string, args: string[]): void {
    execFileSync(join(programs()!, program), args, { stdio: 'pipe', cwd: this.#directory, ...this.#identity })
  }
}

/** The newest version's directory of server programs. */
function programs(): string | undefined {
  const initdb = globSync('/usr/lib/postgresql/*/bin/initdb').sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  const newest = initdb.at(-1)
  return newest && dirname(newest)
}

/** PostgreSQL refuses to run as root. */
function serverIdentity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const entry = readFileSync('/etc/passwd', 'utf8').match(/^postgres:[^:]*:(\d+):(\d+):/m)
  return { uid: Number(entry?.[1]), gid: Number(entry?.[2]) }
}
