/**
 * What a project's private repository is read with, on this machine: in files for those alone who need them, so that a run
 * that a crash has broken off can go on while control is away.
 */
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type GitAccess, gitAccess } from '@quarterdeck/contract'
import type { Env } from '../commands/git-call.ts'
import { pinnedSsh } from '../commands/ssh.ts'
import type { Identity } from '../identity.ts'
import { writeWhole } from '../whole-file.ts'

type Https = NonNullable<GitAccess['https']>

export class KeptAccess {
  readonly #directory: string
  readonly #reader: Identity | undefined

  /** `root` is the project's place on this machine; `reader` who runs git there, if not the agent itself. */
  constructor(root: string, reader: Identity | undefined) {
    this.#directory = join(root, 'access')
    this.#reader = reader
  }

  /** On disk when it returns. Null: there is none. */
  keep(access: GitAccess | null): void {
    if (!access?.ssh && !access?.https) {
      this.forget()
      return
    }
    // What is above it is for others to go through.
    mkdirSync(dirname(this.#directory), { recursive: true, mode: 0o755 })
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    if (this.#reader) {
      // They may go through it to what is theirs, and change nothing.
      chownSync(this.#directory, process.getuid!(), this.#reader.gid)
      chmodSync(this.#directory, 0o710)
    }
    this.#put('key', access.ssh?.private_key, this.#reader)
    this.#put('known_hosts', access.ssh?.known_hosts, this.#reader)
    this.#put('https', access.https ? JSON.stringify(access.https) : undefined)
  }

  forget(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** For a git that goes to the remote, and for no other. */
  get environment(): Env {
    const https = this.#https()
    const [key, knownHosts] = [this.#file('key'), this.#file('known_hosts')]
    return {
      ...(textOf(key) !== undefined && { GIT_SSH_COMMAND: pinnedSsh({ key, knownHosts }) }),
      ...(https && settings(httpsSettings(https))),
    }
  }

  /** What must not be seen anywhere. */
  get secrets(): string[] {
    const https = this.#https()
    const key = textOf(this.#file('key'))
    return [...(key ? [key] : []), ...(https ? [https.token, credentials(https)] : [])]
  }

  #put(name: 'key' | 'known_hosts' | 'https', text: string | undefined, owner?: Identity): void {
    const file = this.#file(name)
    if (text === undefined) rmSync(file, { force: true })
    else writeWhole(file, text, 0o400, owner)
  }

  #https(): Https | null {
    const text = textOf(this.#file('https'))
    return text === undefined ? null : gitAccess.shape.https.parse(JSON.parse(text))
  }

  #file(name: 'key' | 'known_hosts' | 'https'): string {
    return join(this.#directory, name)
  }
}

const credentials = ({ username, token }: Https) => Buffer.from(`${username}:${token}`).toString('base64')

/**
 * git sends the header to this address alone. After a redirect it would go on with it wherever it was sent: so it follows
 * none.
 */
const httpsSettings = (https: Https): [string, string][] => [
  [`http.${https.url}.extraHeader`, `Authorization: Basic ${credentials(https)}`],
  ['http.followRedirects', 'false'],
]

/** In the environment: an argument is there for everybody on the machine to read. */
function settings(pairs: readonly (readonly [string, string])[]): Env {
  const entries = pairs.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(pairs.length), ...Object.fromEntries(entries) }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
