/** The machine's own list of names, which comes before any other. Read again when it has changed. */
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'

export class HostsFile {
  readonly #path: string
  #changedMs = -1
  #addresses = new Map<string, string[]>()

  constructor(path = '/etc/hosts') {
    this.#path = path
  }

  /** Nothing: the name is not in it. */
  async find(name: string): Promise<readonly string[]> {
    try {
      const { mtimeMs } = await stat(this.#path)
      if (mtimeMs !== this.#changedMs) {
        this.#addresses = read(await readFile(this.#path, 'utf8'))
        this.#changedMs = mtimeMs
      }
    } catch {
      // Without such a file there are no such names.
      this.#addresses.clear()
      this.#changedMs = -1
    }
    return this.#addresses.get(name.toLowerCase()) ?? []
  }
}

function read(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map(name => name.toLowerCase()))
      addresses.set(name, [...(addresses.get(name) ?? []), address])
  }
  return addresses
}
