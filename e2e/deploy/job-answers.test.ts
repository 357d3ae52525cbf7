/** The deploy job and a server that answers in every way that one can. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errors, type Run, runDocument } from '@quarterdeck/contract'
import { expect, onTestFinished, test } from 'vitest'
import { type Job, runJob } from './job.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const run = runDocument.example as Run
const token = `qd_deploy_${'b'.repeat(43)}`

/** Answers the calls one after the other; the last answer stays. */
async function server(...answers: Answer[]) {
  const asked: { route: string; headers: IncomingMessage['headers']; body: string }[] = []
  const it = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    asked.push({ route: `${request.method} ${request.url}`, headers: request.headers, body })
    answers[Math.min(asked.length, answers.length) - 1]!(request, response)
  })
  await new Promise<void>(resolve => it.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    it.closeAllConnections()
    it.close()
  })
  const hook = `http://admin.localhost:${(it.address() as AddressInfo).port}/api/deploy/hello`
  const job = (more: Partial<Job> = {}) =>
    runJob({ hook, token, ref: 'a'.repeat(40), repository: 'acme/hello', run: 7, attempt: 3, ...more })
  return { hook, asked, job }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

const problem = (code: keyof typeof errors, detail: string, headers = {}): Answer =>
  json(errors[code].status, { code, detail, title: errors[code].title }, headers)

const accepted = json(202, { ...run, status: 'queued', steps: [] })

const event = (name: string, data: unknown, id?: number) =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const log = (seq: number, text: string) => event('log', { seq, text, step: 'fetch', at: run.created_at }, seq)

/** `cut`: without an end. */
const stream =
  (...pieces: string[]): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`retry: 2000\n\n: here\n\n${pieces.join('')}`)
  }

const end = (changes: Partial<Run>) => event('end', { ...run, error: null, restored_sha: null, ...changes })
const succeeded = end({ status: 'succeeded' })

test('it calls as the specification says, with the key of run and attempt', async () => {
  const { job, asked } = await server(accepted, stream(log(1, 'one'), succeeded))
  expect(await job()).toMatchObject({ code: 0, output: expect.stringContaining('    one\n') })
  expect(asked[0]).toMatchObject({
    route: 'POST /api/deploy/hello',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': '7-3',
      host: expect.stringMatching(/^admin\.localhost:\d+$/),
    },
  })
  expect(JSON.parse(asked[0]!.body)).toEqual({ ref: 'a'.repeat(40), project: 'acme/hello' })
  expect(asked[1]).toMatchObject({
    route: `GET /api/runs/${run.id}/log`,
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
  })
})

test('busy servers are asked again with the same key, when they say; broken streams after the last line', async () => {
  const { job, asked } = await server(
    problem('too_many_calls', 'Too often.', { 'retry-after': '1' }),
    problem('store_unavailable', 'The database is away.', { 'retry-after': '0' }),
    (_, response) => response.destroy(),
    accepted,
    stream(log(1, 'one'), log(2, 'two')),
    problem('upstream_refused', 'Away.'),
    stream(log(2, 'two'), log(3, 'three'), succeeded),
  )
  const { code, output } = await job()
  expect(code).toBe(0)
  expect(output).toMatch(
    /429: Too often\..* Trying again in 1 s\.[\s\S]*503: The database is away\..* in 0 s/,
  )
  expect(output.match(/^ {4}\w+$/gm)).toEqual(['    one', '    two', '    three'])
  expect(asked.slice(0, 4).map(({ headers }) => headers['idempotency-key'])).toEqual([
    '7-3',
    '7-3',
    '7-3',
    '7-3',
  ])
  expect(asked.slice(4).map(({ headers }) => headers['last-event-id'])).toEqual(['0', '2', '2'])
})

test('a server that stays away is given up, and what became of the run is not claimed', async () => {
  const lost = await server(accepted, stream(log(1, 'one')))
  const ended = await lost.job({ patienceS: 2 })
  expect(ended).toMatchObject({
    code: 1,
    output: expect.stringContaining('The run goes on without this job'),
  })
  const nobody = await server((_, response) => response.destroy())
  const never = await nobody.job({ patienceS: 1 })
  expect(never).toMatchObject({
    code: 1,
    output: expect.stringContaining('Whether the call arrived is not known'),
  })
})

test.each<[string, Answer[], string]>([
  [
    'refused fields',
    [problem('invalid_fields', 'Not this repository.')],
    '422: Not this repository. See that the',
  ],
  [
    'a revoked token',
    [problem('unauthenticated', 'The token does not count.')],
    '401: The token does not count. Make',
  ],
  [
    'another project',
    [problem('forbidden', 'Another project.')],
    '403: Another project. See that DEPLOY_HOOK_URL',
  ],
  ['a page', [json(404, 'nothing')], 'answered 404, and not as Quarterdeck does: is DEPLOY_HOOK_URL right?'],
  [
    'something else',
    [json(200, { hello: 1 })],
    'What answered is not Quarterdeck: is DEPLOY_HOOK_URL right?',
  ],
  ['a redirect', [json(301, {}, { location: 'https://elsewhere.example/' })], 'answered 301, a redirect'],
  [
    'a token that is revoked meanwhile',
    [accepted, problem('unauthenticated', 'The token does not count.')],
    'The run goes on without this job',
  ],
  [
    'a cancelled run',
    [accepted, stream(end({ status: 'cancelled', steps: [] }))],
    'was cancelled. The service was not touched',
  ],
  [
    'a failed run that took nothing back',
    [accepted, stream(end({ status: 'failed', error: { code: 'verify_failed', message: 'It ended.' } }))],
    'failed: It ended. Nothing was put back: see what runs.',
  ],
])('%s is red, with a sentence', async (_, answers, sentence) => {
  const { job, asked } = await server(...answers)
  const { code, output } = await job()
  expect([code, output]).toEqual([1, expect.stringContaining(sentence)])
  expect(output).toContain('::error title=Deploy failed::')
  expect(output).not.toContain(token)
  expect(asked).toHaveLength(answers.length)
})

test('one that what runs has overtaken is green', async () => {
  const { job } = await server(accepted, stream(end({ status: 'superseded', superseded_by: null })))
  expect(await job()).toMatchObject({ code: 0, output: expect.stringContaining('what hello runs is newer') })
})

test('a log can neither steer the terminal nor command the runner', async () => {
  const lines = [
    '::add-mask::x',
    '\u001b[31mred\u0007',
    '##[error]no',
    'a\tb',
    'r\u202eight',
    '::error::no',
    'ü€😀',
  ]
  const { job } = await server(accepted, stream(...lines.map((text, i) => log(i + 1, text)), succeeded))
  const { code, output } = await job()
  expect(code).toBe(0)
  const [, ignored, logged] = /^::stop-commands::(\w+)\n([\s\S]*?)^::\1::$/m.exec(output) ?? []
  expect(ignored).toMatch(/^[0-9a-f]{32}$/)
  expect(logged?.match(/^ {4}.*$/gm)).toEqual(
    ['::add-mask::x', '[31mred', '##[error]no', 'a    b', 'right', '::error::no', 'ü€😀'].map(
      text => `    ${text}`,
    ),
  )
})

test.each<[string, Partial<Job>, string]>([
  ['no secrets', { hook: '', token: ' ' }, 'DEPLOY_HOOK_URL and DEPLOY_TOKEN are not set. Add secrets at'],
  ['no token', { token: '' }, 'DEPLOY_TOKEN is not set.'],
  ['another address', { hook: 'https://admin.example.com' }, 'DEPLOY_HOOK_URL is not of the form https://'],
  ['a file', { hook: 'file:///api/deploy/hello' }, 'DEPLOY_HOOK_URL is not of the form https://'],
  [
    'no encryption',
    { hook: 'http://admin.example.com/api/deploy/hello' },
    'would travel unencrypted. Use https.',
  ],
  ['a token of two lines', { token: 'a\nX-Other: b' }, 'DEPLOY_TOKEN is not a token'],
])('%s: said before anything is sent', async (_, wrong, sentence) => {
  const { job, asked } = await server(accepted)
  const { code, output } = await job(wrong)
  expect([code, output]).toEqual([1, expect.stringContaining(sentence)])
  expect(asked).toEqual([])
})
