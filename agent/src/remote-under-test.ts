/** A remote over HTTP that can be made to hang, to refuse, and to answer again. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { RemoteUnderTest } from './repository-under-test.ts'

export class HttpRemote {
  readonly #remote: RemoteUnderTest
  readonly #server: Server
  /** hang: takes calls and never answers; ask: wants credentials. */
  mode: 'answer' | 'hang' | 'ask' = 'answer'
  /** How many calls came. */
  calls = 0

  private constructor(remote: RemoteUnderTest) {
    this.#remote = remote
    this.#server = createServer(({ url = '' }, response) => {
      this.calls += 1
      if (this.mode === 'hang') return
      const file = this.mode === 'ask' ? 401 : this.#file(new URL(url, 'http://here').pathname)
      if (typeof file === 'number')
        response.writeHead(file, { 'www-authenticate': 'Basic realm="git"' }).end()
      else response.end(file)
    })
  }

  static async serving(remote: RemoteUnderTest): Promise<HttpRemote> {
    const http = new HttpRemote(remote)
    await new Promise<void>(resolve => http.#server.listen(0, '127.0.0.1', resolve))
    return http
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/repository.git`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** git's "dumb" protocol is nothing but its files. */
  #file(path: string): Buffer | 404 {
    if (path.endsWith('/info/refs')) this.#remote.git('update-server-info')
    try {
      return readFileSync(join(this.#remote.directory, '.git', path.replace('/repository.git', '')))
    } catch {
      return 404
    }
  }
}
