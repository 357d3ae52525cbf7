/** A repository behind git's own HTTP program, for who sends the right name and token. */
import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'

export class HttpBackend {
  readonly #path: string
  readonly #server: Server
  /** Null: anybody may read it. */
  wanted: { username: string; token: string } | null = null
  /** Whoever asks is sent to the same path there. */
  redirectTo: string | null = null
  /** Every Authorization that came, or null. */
  readonly authorizations: (string | null)[] = []

  private constructor(path: string) {
    this.#path = path
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  static async serving(path: string): Promise<HttpBackend> {
    const backend = new HttpBackend(path)
    await new Promise<void>(resolve => backend.#server.listen(0, '127.0.0.1', resolve))
    return backend
  }

  /** With a slash at its end. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  get url(): string {
    return `${this.origin}remote/.git`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.authorizations.push(request.headers.authorization ?? null)
    const { url = '/' } = request
    if (this.redirectTo !== null)
      return void response.writeHead(302, { location: new URL(url, this.redirectTo).href }).end()
    if (!this.#mayRead(request))
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    const { headers, body } = await this.#answer(request, new URL(url, this.origin))
    response.writeHead(Number(headers.status?.split(' ')[0] ?? 200), headers).end(body)
  }

  #mayRead({ headers }: IncomingMessage): boolean {
    if (!this.wanted) return true
    const { username, token } = this.wanted
    return headers.authorization === `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`
  }

  /** https://www.rfc-editor.org/rfc/rfc3875 */
  async #answer(request: IncomingMessage, { pathname, search }: URL) {
    const child = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: dirname(this.#path),
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: join(this.#path, '.git'),
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    })
    request.pipe(child.stdin)
    const answer = await buffer(child.stdout)
    const end = answer.indexOf('\r\n\r\n')
    const lines = answer.subarray(0, end).toString().split('\r\n')
    const headers = lines.map(line => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ])
    return { headers: Object.fromEntries(headers) as Record<string, string>, body: answer.subarray(end + 4) }
  }
}
