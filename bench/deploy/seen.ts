/** 100 deploys of healthy commits, watched every second: none of them is taken for an outage, and nobody is told of any. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceHistory } from '@quarterdeck/contract'
import type { Figure } from '../figure.ts'
import { startEnvironment } from '../process.ts'
import { addProject, call, endOf, remote, scratch, startRun } from './place.ts'

const projects = 10
const deploys = 10

export const deploysSeen: Figure = {
  name: 'outages seen over 100 deploys',
  goal: '0',
  async measure() {
    const { directory, remove } = scratch()
    const config = join(directory, 'quarterdeck.yaml')
    writeFileSync(config, 'watch: { interval_s: 1, timeout_s: 0.9 }\n')
    const main = join(import.meta.dirname, '../../cli/src/main.ts')
    const environment = await startEnvironment(process.execPath, [main, 'up', '--config', config])
    const token = readFileSync(join(environment.home, 'operator.token'), 'utf8').trim()
    const access = { port: environment.port, token }
    const { url, push } = remote(directory)
    const names = Array.from({ length: projects }, (_, index) => `p${index}`)
    for (const name of names) await addProject(access, name, url)
    let succeeded = 0
    // One more than are counted: before the first there is nothing to watch.
    for (let turn = 0; turn <= deploys; turn++) {
      const ref = push()
      const runs = await Promise.all(names.map(name => startRun(access, name, ref)))
      const ends = await Promise.all(runs.map(id => endOf(access, id)))
      if (turn > 0) succeeded += ends.filter(end => end === 'succeeded').length
    }
    const days = await Promise.all(names.map(name => today(environment.port, name)))
    const sum = (part: 'up_s' | 'degraded_s' | 'down_s') => days.reduce((total, day) => total + day[part], 0)
    const alerts = (await call(access, 'GET', '/api/alerts?state=all')).json.items as unknown[]
    for (const name of names) await call(access, 'DELETE', `/api/projects/${name}`)
    await environment.stop()
    remove()
    return {
      reached:
        succeeded === projects * deploys && sum('down_s') === 0 && sum('up_s') > 0 && alerts.length === 0,
      value: `${sum('down_s')} s`,
      details: `of outage over ${succeeded} deploys, ${sum('degraded_s')} s degraded, ${sum('up_s')} s up, watched every second; ${alerts.length} alerts`,
    }
  },
}

async function today(port: number, name: string): Promise<ServiceHistory['history'][number]> {
  const headers = { host: 'status.localhost' }
  const { json } = await call({ port, token: '' }, 'GET', `/services/${name}.json`, undefined, headers)
  return (json as ServiceHistory).history.at(-1)!
}
