/** npm packages made by hand, and a registry that has them, so that npm has something to install without the internet. */
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

export interface PackageUnderTest {
  readonly name: string
  readonly version: string
  /** Beside `package.json`; without any, the package is its version. */
  readonly files?: Readonly<Record<string, string>>
  /** More for `package.json`. */
  readonly manifest?: Readonly<Record<string, unknown>>
}

/** A package that is its version. */
export const told = (version: string): PackageUnderTest => ({ name: 'told', version: `${version}.0.0` })

/** One that has them, started. */
export const registry = (...packages: PackageUnderTest[]): Promise<RegistryUnderTest> =>
  new RegistryUnderTest(packages).start()

const manifestOf = ({ name, version, manifest }: PackageUnderTest) => ({ name, version, ...manifest })

/** As `npm pack` makes it. */
export function tarball(made: PackageUnderTest): Buffer {
  const files = made.files ?? { 'index.js': `module.exports = ${JSON.stringify(made.version)}\n` }
  const all = { 'package.json': JSON.stringify(manifestOf(made)), ...files }
  const entries = Object.entries(all).flatMap(([name, text]) =>
    tarEntry(`package/${name}`, Buffer.from(text)),
  )
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]))
}

function tarEntry(name: string, content: Buffer): Buffer[] {
  const header = Buffer.alloc(512)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(content.length, 12) + octal(0, 12), 100)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 7)} `, 148)
  return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
}

const integrityOf = (data: Buffer) => `sha512-${createHash('sha512').update(data).digest('base64')}`

/** Speaks as much of the registry's protocol as installing needs. */
export class RegistryUnderTest {
  readonly requests: string[] = []
  readonly #packages: PackageUnderTest[]
  readonly #server: Server

  constructor(packages: readonly PackageUnderTest[]) {
    this.#packages = [...packages]
    this.#server = createServer((request, response) => {
      this.requests.push(request.url!)
      const answer = this.#answer(decodeURIComponent(request.url!.slice(1)))
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
      response.end(answer ?? '{"error":"Not found"}')
    })
  }

  async start(): Promise<this> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** Such a lock file as npm writes, for dependencies that have none themselves. */
  lock(dependencies: Readonly<Record<string, string>>): string {
    const installed = Object.entries(dependencies).map(([name, version]) => {
      const made = this.#packages.find(each => each.name === name && each.version === version)!
      return [
        `node_modules/${name}`,
        { version, resolved: this.#tarballUrl(made), integrity: integrityOf(tarball(made)) },
      ]
    })
    const packages = { '': { dependencies }, ...Object.fromEntries(installed) }
    return JSON.stringify({ lockfileVersion: 3, requires: true, packages })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #answer(path: string): string | Buffer | undefined {
    const wanted = this.#packages.find(made => this.#tarballUrl(made) === this.url + path)
    if (wanted) return tarball(wanted)
    const versions = this.#packages.filter(({ name }) => name === path)
    if (versions.length === 0) return undefined
    const each = versions.map(made => {
      const dist = { tarball: this.#tarballUrl(made), integrity: integrityOf(tarball(made)) }
      return [made.version, { ...manifestOf(made), dist }]
    })
    return JSON.stringify({
      name: path,
      'dist-tags': { latest: versions.at(-1)!.version },
      versions: Object.fromEntries(each),
    })
  }

  #tarballUrl({ name, version }: PackageUnderTest): string {
    return `${this.url}${name}/-/${name}-${version}.tgz`
  }
}
