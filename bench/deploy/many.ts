/** 200 projects are pushed to at once: none lost, none doubled. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Figure } from '../figure.ts'
import { startEnvironment } from '../process.ts'
import { call, remote, scratch } from './place.ts'

const projects = 200
const limitMs = 900_000

export const manyAtOnce: Figure = {
  name: '200 projects at once',
  goal: 'none lost, none doubled',
  async measure() {
    const { directory, remove } = scratch()
    const { url, push } = remote(directory)
    const ref = push()
    const environment = await startEnvironment()
    const token = readFileSync(join(environment.home, 'operator.token'), 'utf8').trim()
    const access = { port: environment.port, token }
    const names = Array.from({ length: projects }, (_, i) => `p${i}`)
    for (const name of names) await add(access, name, url)
    const startedMs = performance.now()
    const ids = await Promise.all(names.map(async name => (await start(access, name, ref)).id))
    const outcomes = await Promise.all(ids.map(id => ended(access, id)))
    const seconds = (performance.now() - startedMs) / 1000
    const succeeded = outcomes.filter(status => status === 'succeeded').length
    const runs = await Promise.all(names.map(name => runsOf(access, name)))
    const doubled = runs.filter(count => count !== 1).length
    for (const name of names) await call(access, 'DELETE', `/api/projects/${name}`)
    await environment.stop()
    remove()
    return {
      reached: succeeded === projects && doubled === 0,
      value: `${succeeded}/${projects}`,
      details: `succeeded, ${doubled} doubled, in ${seconds.toFixed(0)} s (four at a time, each with its proof of 2 s)`,
    }
  },
}

type Access = Parameters<typeof call>[0]

const add = (access: Access, name: string, url: string) =>
  call(access, 'POST', '/api/projects', {
    name,
    repository: `acme/${name}`,
    git_url: url,
    runtime: 'python',
    interpreter: '/usr/bin/python3',
    start: ['python', '-m', 'app'],
  })

const start = async (access: Access, name: string, ref: string): Promise<{ id: string }> =>
  (await call(access, 'POST', `/api/projects/${name}/runs`, { ref })).json

const runsOf = async (access: Access, name: string): Promise<number> =>
  (await call(access, 'GET', `/api/projects/${name}/runs`)).json.items.length

async function ended(access: Access, id: string): Promise<string> {
  const endMs = performance.now() + limitMs
  for (;;) {
    const { status } = (await call(access, 'GET', `/api/runs/${id}`)).json
    if (status !== 'queued' && status !== 'running') return status
    if (performance.now() > endMs) return 'not ended'
    await wait(1000)
  }
}
