/** What the agent says of itself, asked as everybody else would. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { agentUnderTest } from './under-test.ts'

test('its commit, its runs and its units are told, and control hears where', async () => {
  await using here = await agentUnderTest()
  const { port, sha } = await here.control.until(() => here.control.all('hello')[0])
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  expect(JSON.parse(await ask('/version'))).toEqual({ name: 'agent', sha })
  const series = async () => (await ask('/metrics')).match(/^quarterdeck_agent_.*$/gm)
  expect(await series()).toEqual([
    'quarterdeck_agent_runs_total{outcome="succeeded"} 0',
    'quarterdeck_agent_runs_total{outcome="failed"} 0',
    'quarterdeck_agent_runs_total{outcome="superseded"} 0',
    'quarterdeck_agent_runs_total{outcome="cancelled"} 0',
    'quarterdeck_agent_units{state="running"} 0',
    'quarterdeck_agent_units{state="stopped"} 0',
    'quarterdeck_agent_units{state="failed"} 0',
    'quarterdeck_agent_units{state="waiting"} 0',
  ])
  const disk = (await ask('/metrics')).match(
    /^machine_disk_(size|free)_bytes\{machine=".+",mount="\/.*"\} [1-9]/gm,
  )
  expect(disk).toHaveLength(2)
  await here.deployGood()
  await until('the run is counted', async () =>
    (await series())!.includes('quarterdeck_agent_runs_total{outcome="succeeded"} 1'),
  )
  expect(await series()).toContain('quarterdeck_agent_units{state="running"} 1')
})

test('it is ready while control is there and its home can be written', async () => {
  await using here = await agentUnderTest()
  const { port } = await here.control.until(() => here.control.all('hello')[0])
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status
  expect(await ready()).toBe(200)
  here.control.disconnect()
  await until('it is not ready', async () => (await ready()) === 503)
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  here.connect()
  await until('it is ready again', async () => (await ready()) === 200)
  const home = join(here.home, 'agent')
  renameSync(home, `${home}.away`)
  await until('it is not ready', async () => (await ready()) === 503)
  renameSync(`${home}.away`, home)
  await until('it is ready again', async () => (await ready()) === 200)
})
