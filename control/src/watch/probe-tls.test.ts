import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ProbeConnection, type Server } from './probe-connection.ts'
import { rawServer } from './under-test.ts'

const limits = { timeoutMs: 2000, longestBody: 10_000 }
const day = 86_400_000

interface Made {
  readonly key: string
  readonly cert: string
}

/** Certificates by the real openssl; with -1 days it has ended. */
function certificates() {
  const directory = temporaryDirectory()
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })
  const read = (name: string): Made => ({
    key: readFileSync(join(directory, `${name}.key`), 'utf8'),
    cert: readFileSync(join(directory, `${name}.crt`), 'utf8'),
  })
  const keyOf = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    `${name}.key`,
  ]
  return {
    selfSigned(name: string, more: string[] = []): Made {
      openssl(
        'req',
        '-x509',
        ...keyOf(name),
        '-out',
        `${name}.crt`,
        '-subj',
        `/CN=${name}`,
        '-days',
        '30',
        ...more,
      )
      return read(name)
    },
    signed(name: string, by: string, subject: string, days: number): Made {
      openssl('req', '-new', ...keyOf(name), '-out', `${name}.csr`, '-subj', `/CN=${name}`)
      writeFileSync(join(directory, `${name}.ext`), `subjectAltName=${subject}\n`)
      const signer = ['-CA', `${by}.crt`, '-CAkey', `${by}.key`, '-CAcreateserial']
      openssl(
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        ...signer,
        '-out',
        `${name}.crt`,
        '-extfile',
        `${name}.ext`,
        '-days',
        `${days}`,
      )
      return read(name)
    },
  }
}

async function https({ key, cert }: Made): Promise<number> {
  const server: HttpsServer = createServer({ key, cert }, (request, response) => response.end(request.url))
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function look(port: number, more: Partial<Server> = {}) {
  const connection = new ProbeConnection({ host: '127.0.0.1', port, isTls: true, ...more }, limits)
  onTestFinished(() => connection.close())
  const seen = await connection.look(['/healthz', '/readyz'])
  const said = seen.map(one =>
    'answer' in one ? `${one.answer.body}` : `${one.failure.code}: ${one.failure.message}`,
  )
  const endsIn = connection.certificateEnds && (connection.certificateEnds.getTime() - Date.now()) / day
  return { said, endsIn: endsIn === undefined ? undefined : Math.round(endsIn) }
}

test('a certificate is judged, and its end is known whatever the judgement', async () => {
  const { selfSigned, signed } = certificates()
  const ca = selfSigned('ca').cert
  const good = await https(signed('good', 'ca', 'IP:127.0.0.1,DNS:hello.example', 30))
  expect(await look(good, { ca })).toEqual({ said: ['/healthz', '/readyz'], endsIn: 30 })
  // Whom it is asked for counts, not where it is reached.
  expect(await look(good, { ca, authority: 'hello.example' })).toMatchObject({
    said: ['/healthz', '/readyz'],
  })
  expect(await look(good, { ca, authority: 'other.example:8443' })).toEqual({
    said: ['tls: Its certificate is for another name.'],
    endsIn: 30,
  })
  expect(await look(good)).toEqual({
    said: ['tls: Its certificate is signed by nobody who is trusted.'],
    endsIn: 30,
  })
  const expired = await https(signed('expired', 'ca', 'IP:127.0.0.1', -1))
  expect(await look(expired, { ca })).toEqual({ said: ['tls: Its certificate has expired.'], endsIn: -1 })
  const alone = await https(selfSigned('alone', ['-addext', 'subjectAltName=IP:127.0.0.1']))
  expect(await look(alone)).toEqual({
    said: ['tls: Its certificate is signed by itself alone.'],
    endsIn: 30,
  })
})

test('nothing is asked of a server whose certificate is refused', async () => {
  const { selfSigned } = certificates()
  const made = selfSigned('alone')
  let asked = 0
  const server = createServer({ ...made }, (_request, response) => {
    asked++
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  await look((server.address() as AddressInfo).port)
  expect(asked).toBe(0)
})

test('a server that speaks no TLS is told as such', async () => {
  const { port } = await rawServer(socket => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
  expect(await look(port)).toEqual({
    said: ['tls: It speaks no TLS that is understood here.'],
    endsIn: undefined,
  })
})
