/** A real mail server for tests: OpenSMTPD on a free port, which keeps mail for ops@ and late@example.com in a directory. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@quarterdeck/testing'

const program = '/usr/sbin/smtpd'
/** Debian's nobody. */
const nobody = 65_534

/** Why there can be none here. */
export function smtpdMissing(): string | undefined {
  try {
    accessSync(program, constants.X_OK)
  } catch {
    return 'OpenSMTPD is not installed'
  }
  return process.getuid?.() === 0 ? undefined : 'OpenSMTPD needs root'
}

export class SmtpdUnderTest {
  port = 0
  readonly #directory = mkdtempSync(join(tmpdir(), 'qd-test-smtpd-'))
  #child: ChildProcess | undefined

  /** `grey` matches the senders, `late` the recipients, of whom is told to come back later. */
  async start(grey = '^nobody-is-grey@', late = '^nobody-is-late@'): Promise<this> {
    this.port ||= await freePort()
    const mail = join(this.#directory, 'mail')
    mkdirSync(mail, { recursive: true })
    chmodSync(this.#directory, 0o755)
    chownSync(mail, nobody, nobody)
    const file = join(this.#directory, 'smtpd.conf')
    const lines = [
      `filter "grey" phase mail-from match mail-from regex "${grey}" reject "451 4.7.1 come back later"`,
      `filter "late" phase rcpt-to match rcpt-to regex "${late}" reject "451 4.7.1 come back later"`,
      'filter "both" chain { "grey", "late" }',
      'table accept { ops@example.com = nobody, late@example.com = nobody }',
      `listen on 127.0.0.1 port ${this.port} filter "both"`,
      `action "keep" maildir "${mail}" virtual <accept>`,
      'match from any for domain "example.com" action "keep"',
    ]
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
    this.#child = spawn(program, ['-d', '-f', file], { stdio: 'ignore' })
    await until('the mail server listens', () => isListening(this.port))
    return this
  }

  async stop(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null) return
    this.#child.kill()
    await once(this.#child, 'exit')
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** As they were delivered, in no certain order. */
  mails(): string[] {
    const folder = join(this.#directory, 'mail', 'new')
    try {
      return readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
    } catch {
      return []
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
