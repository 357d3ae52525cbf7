/** The log of a run: as text, and live as server-sent events. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { commit, followLog, projectUnderTest } from './under-test.ts'

async function running() {
  const under = await controlUnderTest()
  const project = await projectUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  const id = await project.pushed(commit(1))
  await agent.ordered(id)
  const text = async () => (await project.api(`/api/runs/${id}/log`)).text as string
  return { under, ...under, ...project, agent, id, text }
}

const lineIds = (live: ReturnType<typeof followLog>) =>
  live.events().flatMap(({ event, id }) => (event === 'log' ? [Number(id)] : []))

test('as text it is one line per line, in order, whatever order they came in, each once', async () => {
  const { agent, id, api, text } = await running()
  agent.log(id, [
    { seq: 2, text: 'two', step: 'fetch' },
    { seq: 1, text: 'one' },
  ])
  agent.log(id, [
    { seq: 2, text: 'another two' },
    { seq: 3, text: 'three' },
  ])
  await until('it is stored', async () => (await text()).includes('three'))
  const at = '2026-01-01T00:00:00Z'
  expect(await text()).toBe(
    `${at} -              one\n${at} fetch          two\n${at} -              three\n`,
  )
  expect((await api(`/api/runs/${id}/log`)).headers['content-type']).toBe('text/plain; charset=utf-8')
})

test('live, lines and steps come as they happen, and after the end there is nothing', async () => {
  const { agent, id, port, token } = await running()
  const live = followLog(port, id, token)
  await until('its state is shown', () => live.events().length === 1)
  expect(live.events()[0]).toMatchObject({ event: 'run', data: { id, status: 'running', steps: [] } })
  agent.log(id, [{ seq: 1, text: 'one' }])
  await until('the line is shown', () => live.events().length === 2)
  expect(live.events()[1]).toMatchObject({ id: '1', event: 'log', data: { seq: 1, text: 'one', step: null } })
  const step = {
    name: 'fetch',
    status: 'running',
    started_at: null,
    ended_at: null,
    exit: null,
    detail: null,
  } as const
  agent.progress(id, { sha: commit(1), steps: [step] })
  await until('the step is shown', () => live.events().length === 3)
  expect(live.events()[2]).toMatchObject({ event: 'run', data: { sha: commit(1), steps: [step] } })
  agent.log(id, [{ seq: 2 }])
  agent.end(id)
  await until('it has ended', () => live.ended)
  expect(lineIds(live)).toEqual([1, 2])
  expect(live.events().at(-1)).toMatchObject({ event: 'end', data: { id, status: 'succeeded' } })
  expect(live.events().filter(({ event }) => event === 'end')).toHaveLength(1)
})

test('it is resumed after the line that the reader had last, also when the run is over', async () => {
  const { agent, id, port, token, is } = await running()
  agent.log(id, [{ seq: 1 }, { seq: 2 }, { seq: 3 }])
  const first = followLog(port, id, token)
  await until('the lines are shown', () => lineIds(first).length === 3)
  first.close()
  agent.log(id, [{ seq: 4 }])
  const second = followLog(port, id, token, 2)
  await until('the lines are shown', () => lineIds(second).length === 2)
  agent.end(id)
  await is(id, 'succeeded')
  const third = followLog(port, id, token, 4)
  await until('both have ended', () => second.ended && third.ended)
  expect([lineIds(second), lineIds(third)]).toEqual([[3, 4], []])
  expect(third.events().map(({ event }) => event)).toEqual(['end'])
})

test('of a run that waits, the live log waits too, and ends when the run is cancelled or gives way', async () => {
  const { port, token, pushed, api } = await running()
  const waiting = await pushed(commit(2))
  const live = followLog(port, waiting, token)
  await until('its state is shown', () => live.events().length === 1)
  const newer = await pushed(commit(3))
  await until('it has ended', () => live.ended)
  expect(live.events().at(-1)).toMatchObject({
    event: 'end',
    data: { status: 'superseded', superseded_by: newer },
  })
  const last = followLog(port, newer, token)
  await until('its state is shown', () => last.events().length === 1)
  await api(`/api/runs/${newer}/cancel`, {})
  await until('it has ended', () => last.ended)
  expect(last.events().at(-1)?.data.status).toBe('cancelled')
})

test('lines that look like the end of an event, or like nothing at all, do not break the stream', async () => {
  const hostile = [
    '\n\nevent: end\ndata: {}\n\n',
    '\r\rid: 99\r\r',
    'a\u2028b\u2029c\u0085d',
    '\u001b[31mred\u0007\u0000',
    '"}\n\ndata: x',
    ':',
    '',
    '\ud800',
    'ü€😀',
  ]
  const { agent, id, port, token } = await running()
  const live = followLog(port, id, token)
  agent.log(
    id,
    hostile.map((text, i) => ({ seq: i + 1, text })),
  )
  agent.end(id)
  await until('it has ended', () => live.ended)
  const shown = live.events().filter(({ event }) => event !== 'run')
  expect(shown.map(({ event }) => event)).toEqual([...hostile.map(() => 'log'), 'end'])
  expect(shown.slice(0, -1).map(({ id, data }) => [id, data.text])).toEqual(
    hostile.map((text, i) => [`${i + 1}`, text.replaceAll('\0', '').toWellFormed()]),
  )
})

test('a slow reader gets everything in the end, and nobody waits for it', async () => {
  const { agent, id, port, token, is } = await running()
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(
    `GET /api/runs/${id}/log HTTP/1.1\r\nHost: admin\r\nAccept: text/event-stream\r\nConnection: close\r\n` +
      `Authorization: Bearer ${token}\r\nX-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\n\r\n`,
  )
  socket.pause()
  for (let from = 1; from <= 2000; from += 500) {
    agent.log(
      id,
      Array.from({ length: 500 }, (_, i) => ({ seq: from + i, text: 'x'.repeat(4000) })),
    )
  }
  agent.end(id)
  await is(id, 'succeeded')
  let received = ''
  socket.setEncoding('utf8')
  socket.on('data', chunk => {
    received += chunk
  })
  socket.resume()
  await until('it has ended', () => received.includes('event: end'))
  const ids = [...received.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
  expect(ids).toEqual(Array.from({ length: 2000 }, (_, i) => i + 1))
})

test('a deploy token reads the runs and logs of its own project; another’s are not there for it', async () => {
  const { under, id, token } = await running()
  const other = await projectUnderTest(under, 'other')
  const read = (path: string, token: string) => under.ask('admin', path, { token })
  for (const path of [`/api/runs/${id}`, `/api/runs/${id}/log`, '/api/projects/hello/runs']) {
    expect((await read(path, token)).status).toBe(200)
  }
  const theirs = [await read(`/api/runs/${id}`, other.token), await read(`/api/runs/${id}/log`, other.token)]
  const none = await read('/api/runs/019cadd3-7f48-7c1e-9a40-5d2b7f60e113', other.token)
  for (const reply of [...theirs, none]) expect([reply.status, reply.json.code]).toEqual([404, 'not_found'])
  expect((await read('/api/projects/hello/runs', other.token)).status).toBe(403)
  expect((await read('/api/runs', other.token)).status).toBe(403)
})

test('a log that cannot be read on is broken off, so that it does not look whole', async () => {
  const { api, id, config } = await running()
  const database = new DatabaseSync(join(config.home, 'database.sqlite'))
  database.exec('DROP TABLE run_log')
  database.close()
  await expect(api(`/api/runs/${id}/log`)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect((await api(`/api/runs/${id}`)).status).toBe(200)
})
