/** A repository behind a real sshd on loopback: each connection gets one of its own, as inetd would start it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const sshd = '/usr/sbin/sshd'

/** Undefined: it can be tested here. */
export const withoutSshd = existsSync(sshd)
  ? undefined
  : 'sshd is not installed: apt-get install openssh-server'

export interface KeyPair {
  readonly private_key: string
  /** Without a comment. */
  readonly public_key: string
}

/** By OpenSSH itself. */
export function newKeyPair(directory: string, name: string): KeyPair {
  const file = join(directory, name)
  for (const old of [file, `${file}.pub`]) rmSync(old, { force: true })
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
  return {
    private_key: readFileSync(file, 'utf8'),
    public_key: readFileSync(`${file}.pub`, 'utf8').trim(),
  }
}

export class SshRemote {
  readonly #directory: string
  readonly #path: string
  readonly #server: Server
  readonly #running = new Set<ChildProcess>()
  #hostKey: KeyPair
  /** What its sshd has said. */
  log = ''

  private constructor(directory: string, path: string) {
    this.#directory = directory
    this.#path = path
    this.#hostKey = newKeyPair(directory, 'host-key')
    // Once: ssh-keyscan connects several times at once, and an sshd that reads a half-written file shows the machine's own keys.
    writeFileSync(join(directory, 'sshd_config'), this.#settings())
    this.#server = createServer({ pauseOnConnect: true }, socket => this.#serve(socket))
  }

  /** `parent` is the test's own directory, `path` that of the repository. */
  static async serving(parent: string, path: string): Promise<SshRemote> {
    const directory = join(parent, 'sshd')
    mkdirSync(directory)
    const remote = new SshRemote(directory, path)
    remote.authorize()
    await new Promise<void>(resolve => remote.#server.listen(0, '127.0.0.1', resolve))
    return remote
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${this.#path}`
  }

  /** Of its host key, as ssh keeps it. */
  get knownHosts(): string {
    return `[127.0.0.1]:${this.port} ${this.#hostKey.public_key}\n`
  }

  get hostKey(): string {
    return this.#hostKey.public_key
  }

  /** From now on these keys may read it, and no others. */
  authorize(...publicKeys: string[]): void {
    writeFileSync(join(this.#directory, 'authorized_keys'), publicKeys.map(key => `${key}\n`).join(''))
  }

  changeHostKey(): void {
    this.#hostKey = newKeyPair(this.#directory, 'host-key')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL')
    await new Promise(resolve => this.#server.close(resolve))
  }

  #serve(socket: Socket): void {
    // Debian's own script makes it, and root's sshd does not start without it.
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
    const child = spawn(sshd, ['-i', '-e', '-f', join(this.#directory, 'sshd_config')], {
      stdio: [socket, socket, 'pipe'],
    })
    this.#running.add(child)
    child.stderr!.setEncoding('utf8').on('data', text => {
      this.log += text
    })
    child.once('exit', () => this.#running.delete(child))
    child.once('spawn', () => socket.destroy())
  }

  #settings(): string {
    return [
      `HostKey ${join(this.#directory, 'host-key')}`,
      `AuthorizedKeysFile ${join(this.#directory, 'authorized_keys')}`,
      'ForceCommand git-shell -c "$SSH_ORIGINAL_COMMAND"',
      'PermitRootLogin prohibit-password',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'StrictModes no',
      'UsePAM no',
      'PidFile none',
      'LogLevel VERBOSE',
      '',
    ].join('\n')
  }
}
