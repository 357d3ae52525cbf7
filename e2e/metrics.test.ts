/** The metrics server as an operator meets it, on both engines: every service a target, a service that dies an alert, files reloaded. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type ActiveTarget, type Status, serviceDown } from '@quarterdeck/contract'
import { Prometheus, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ask, type Environment, qd, up } from './environment.ts'

const engines = { embedded: 'engine: embedded', prometheus: 'engine: prometheus, program: true' }

async function service(): Promise<{ port: number; stop(): void }> {
  const server: Server = createServer((_request, response) => response.end('ok'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(stop)
  return { port: (server.address() as AddressInfo).port, stop }
}

/** As it is shipped, but for its time. */
const quick = JSON.stringify({
  groups: [{ name: 'quick', interval: '1s', rules: [{ ...serviceDown, alert: 'Quick', for: '2s' }] }],
})

const metrics = async ({ port }: Environment, path: string, method = 'GET') => {
  const reply = await ask(port, 'metrics.localhost', path, {}, method)
  return {
    ...reply,
    json: /json/.test(reply.headers['content-type'] ?? '') ? JSON.parse(reply.text) : undefined,
  }
}

for (const [engine, settings] of Object.entries(engines)) {
  test(`with the ${engine} engine`, { timeout: 120_000 }, async context => {
    const missing = engine === 'prometheus' && Prometheus.missing()
    if (missing) context.skip(missing)
    const home = temporaryDirectory()
    mkdirSync(join(home, 'rules'))
    writeFileSync(join(home, 'rules/quick.yml'), quick)
    writeFileSync(
      join(home, 'quarterdeck.yaml'),
      `watch: { interval_s: 1, timeout_s: 0.8 }\nmetrics: { ${settings} }\n`,
    )
    const environment = await up(home)
    const { port, stop } = await service()
    const body = { id: 'page', url: `http://127.0.0.1:${port}/`, name: 'Page', interval_s: 5, timeout_s: 1 }
    expect((await environment.call('POST', '/api/services', body)).status).toBe(201)

    const targets = async (): Promise<ActiveTarget[]> =>
      (await metrics(environment, '/api/v1/targets')).json?.data?.activeTargets ?? []
    const all = ['admin', 'agent', 'auth', 'docs', 'edge', 'metrics', 'page', 'status']
    const isWhole = async () => {
      const found = await targets()
      const names = found.map(({ scrapePool }) => scrapePool)
      return all.every(name => names.includes(name)) && found.every(({ health }) => health === 'up') && found
    }
    const found = await until('every service is a target that is up', isWhole, 40_000)
    expect(found.map(({ scrapePool }) => scrapePool)).toEqual(all)
    const status: Status = JSON.parse((await environment.ask('status.localhost', '/status.json')).text)
    expect(status.observer.engine).toBe(engine)

    const fires = async () => {
      const alerts = (await metrics(environment, '/api/v1/alerts')).json?.data?.alerts ?? []
      return alerts.some(
        ({ labels, state }: { labels: Record<string, string>; state: string }) =>
          labels.alertname === 'Quick' && labels.job === 'page' && state === 'firing',
      )
    }
    // Before it was first looked at, it was not known to be up.
    await until('there is no alert', async () => !(await fires()), 40_000)
    stop()
    await until('the alert fires', fires, 40_000)
    const hasArrived = async () => {
      const { json } = await environment.call('GET', '/api/alerts')
      return JSON.stringify(json.items).includes('"alertname":"Quick"')
    }
    await until('control tells people of it', hasArrived, 20_000)
    expect((await qd('targets', '--down', '--home', home)).stdout).toMatch(/page +down/)
    expect((await qd('query', 'up{job="page"}', '--home', home)).stdout).toMatch(
      /^up\{.*job="page"\} {2}0\n$/,
    )
    expect(await qd('query', 'up{', '--home', home)).toMatchObject({ code: 3 })
    expect((await qd('rules', 'check', '--home', home)).stdout).toMatch(
      /2 files, 3 groups, \d+ rules: all in order/,
    )

    writeFileSync(join(home, 'rules/quick.yml'), 'groups:\n  - name: quick\n    rules:\n      - alert: X\n')
    expect(await metrics(environment, '/-/reload', 'POST')).toMatchObject({
      status: 500,
      text: expect.stringMatching(/^failed to reload config: /),
    })
    const checked = await qd('rules', 'check', '--home', home)
    expect(checked).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('rules/quick.yml:4: groups.0.rules.0'),
    })
    writeFileSync(join(home, 'rules/quick.yml'), quick)
    expect(await metrics(environment, '/-/reload', 'POST')).toMatchObject({ status: 200, text: '' })
    expect((await environment.stop()).code).toBe(0)
  })
}
