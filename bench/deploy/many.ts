/** 200 projects are pushed to at once: none lost, none doubled. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from '../figure.ts'
import { startEnvironment } from '../process.ts'
import { type Access, addProject, call, endOf, remote, scratch, startRun } from './place.ts'

const projects = 200

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
    for (const name of names) await addProject(access, name, url)
    const startedMs = performance.now()
    const ids = await Promise.all(names.map(name => startRun(access, name, ref)))
    const outcomes = await Promise.all(ids.map(id => endOf(access, id)))
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

const runsOf = async (access: Access, name: string): Promise<number> =>
  (await call(access, 'GET', `/api/projects/${name}/runs`)).json.items.length
