/** A project with a deploy token for tests, and a reader of live logs. All of it over HTTP, as users do it. */
import { request } from 'node:http'
import { until } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'

interface Asking {
  method?: string
  token?: string
  headers?: Record<string, string>
  body?: unknown
  from?: string
}

interface Reply {
  status: number
  headers: Record<string, unknown>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at field by field
  json: any
}

interface Asked {
  /** The operator's token. */
  token: string
  ask(host: string, path: string, asking?: Asking): Promise<Reply>
}

/** A commit id, told apart by a number. */
export const commit = (n: number): string => n.toString(16).padStart(6, '0').padEnd(40, 'c')

export type ProjectUnderTest = Awaited<ReturnType<typeof projectUnderTest>>

export async function projectUnderTest({ ask, token: operator }: Asked, name = 'hello') {
  const repository = `acme/${name}`
  const api = (path: string, body?: unknown, asking: Asking = {}) =>
    ask('admin', path, { method: body === undefined ? 'GET' : 'POST', token: operator, body, ...asking })
  const created = await api('/api/projects', {
    ...{ name, repository, git_url: 'https://git.example.com/acme/hello.git', runtime: 'python' },
    processes: [{ name: 'worker', start: ['python', '-m', 'app'] }],
  })
  if (created.status !== 201) throw new Error(`The project was not made: ${created.text}`)
  const { json: made } = await api(`/api/projects/${name}/tokens`, { label: 'ci' })
  const token: string = made.token
  const push = (ref: string, asking: Asking = {}) =>
    api(`/api/deploy/${name}`, { ref, project: repository }, { token, ...asking })
  return {
    name,
    repository,
    token,
    tokenId: made.id as string,
    api,
    /** The webhook. */
    push,
    /** The id of the run that a push started. */
    pushed: async (ref: string): Promise<string> => (await push(ref)).json.id,
    do: (action: 'rollback' | 'hold' | 'resume' | 'runs', body: unknown = {}, asking: Asking = {}) =>
      api(`/api/projects/${name}/${action}`, body, asking),
    run: async (id: string) => (await api(`/api/runs/${id}`)).json,
    runs: async () => (await api(`/api/projects/${name}/runs`)).json.items,
    /** Waits for the run to be in this state. */
    is: (id: string, status: string) =>
      until(`run ${id} is ${status}`, async () => {
        const { json } = await api(`/api/runs/${id}`)
        return json.status === status && json
      }),
  }
}

export interface LiveLog {
  text: string
  ended: boolean
  /** What was sent, event by event. */
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at field by field
  events(): { id?: string; event: string; data: any }[]
  close(): void
}

/** Reads a log as it comes. */
export function followLog(port: number, id: string, token: string, after?: number): LiveLog {
  const live: LiveLog = {
    text: '',
    ended: false,
    events: () => eventsIn(live.text),
    close: () => sent.destroy(),
  }
  const headers = {
    ...{ host: 'admin', accept: 'text/event-stream', authorization: `Bearer ${token}` },
    ...{ 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' },
    ...(after !== undefined && { 'last-event-id': String(after) }),
  }
  const sent = request({ port, host: '127.0.0.1', path: `/api/runs/${id}/log`, headers }, response => {
    response.setEncoding('utf8')
    response.on('data', chunk => {
      live.text += chunk
    })
    response.on('end', () => {
      live.ended = true
    })
  })
  sent.on('error', () => undefined)
  sent.end()
  onTestFinished(() => void sent.destroy())
  return live
}

/** As a browser reads them. https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function eventsIn(text: string) {
  const blocks = text.split(/(?:\r\n|\r|\n){2}/).map(block =>
    Object.fromEntries(
      block.split(/\r\n|\r|\n/).map(line => {
        const [, field = '', value = ''] = line.match(/^([^:]*):? ?(.*)$/s) ?? []
        return [field, value]
      }),
    ),
  )
  return blocks.flatMap(({ id, event, data }) =>
    event === undefined ? [] : [{ ...(id !== undefined && { id }), event, data: JSON.parse(data ?? '') }],
  )
}
