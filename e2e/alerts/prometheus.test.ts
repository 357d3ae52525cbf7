/** A service stops: one message, which is acknowledged by its button and becomes resolved, also when control is killed in between. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Prometheus, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { TelegramUnderTest } from '../../control/src/alerts/channels/telegram-under-test.ts'
import { type Environment, up } from '../environment.ts'
import { alertmanagerMissing, startAlertmanager } from './alertmanager.ts'

/** As the specification writes it, but for the time. */
const rules = `groups:
  - name: quarterdeck
    rules:
      - alert: ServiceDown
        expr: up == 0
        for: 2s
        labels: {severity: critical}
        annotations: {summary: "{{ $labels.job }} is down"}
`

async function service(): Promise<{ port: number; stop(): Promise<void>; start(): Promise<void> }> {
  let server: Server | undefined
  let port = 0
  const it = {
    port: 0,
    async start() {
      server = createServer((_request, response) => response.end('x 1\n'))
      await new Promise<void>(resolve => server?.listen(port, '127.0.0.1', resolve))
      port = (server.address() as AddressInfo).port
      it.port = port
    },
    async stop() {
      server?.closeAllConnections()
      await new Promise(resolve => server?.close(resolve))
    },
  }
  await it.start()
  onTestFinished(() => it.stop())
  return it
}

async function told(environment: Environment): Promise<TelegramUnderTest> {
  const telegram = await new TelegramUnderTest().start()
  onTestFinished(() => telegram.stop())
  const settings = {
    kind: 'telegram',
    token: telegram.token,
    chat_id: telegram.chat,
    users: ['42'],
    api_url: telegram.url,
  }
  const { status } = await environment.call('POST', '/api/channels', { name: 'on-call', settings })
  expect(status).toBe(201)
  return telegram
}

async function prometheusFor(targetPort: number, alertmanager: string): Promise<void> {
  const prometheus = await Prometheus.start({
    'rules.yml': rules,
    'prometheus.yml': [
      'global: {scrape_interval: 1s, evaluation_interval: 1s}',
      'rule_files: [rules.yml]',
      `alerting: {alertmanagers: [{static_configs: [{targets: ["${alertmanager}"]}]}]}`,
      `scrape_configs: [{job_name: hello, static_configs: [{targets: ["127.0.0.1:${targetPort}"]}]}]`,
    ].join('\n'),
  })
  onTestFinished(() => prometheus.remove())
}

const firsts = (telegram: TelegramUnderTest) =>
  telegram.messages.filter(({ replyTo }) => replyTo === undefined)

test('with a Prometheus that sends here directly, and control killed in between', async context => {
  const missing = Prometheus.missing()
  if (missing) context.skip(missing)
  const home = temporaryDirectory()
  let environment = await up(home)
  const telegram = await told(environment)
  const hello = await service()
  await prometheusFor(hello.port, `127.0.0.1:${environment.port}`)
  await hello.stop()
  const message = await until('it is told', () => telegram.messages[0], 30_000)
  expect(message.text).toMatch(/^🔴 CRITICAL · hello is down/)
  telegram.press(message, message.buttons[0]!.callback_data!)
  await until('it is acknowledged', () => message.text.startsWith('👀 ACKNOWLEDGED'))
  await environment.stop('SIGKILL')
  environment = await up(home, '--port', String(environment.port))
  await hello.start()
  await until('it is resolved', () => message.text.startsWith('✅ RESOLVED'), 30_000)
  await until('with a reply', () => telegram.messages.some(({ replyTo }) => replyTo === message.id))
  expect(firsts(telegram)).toEqual([message])
  expect(telegram.messages).toHaveLength(2)
})

test('with a Prometheus and an Alertmanager in front', async context => {
  const missing = Prometheus.missing() ?? alertmanagerMissing()
  if (missing) context.skip(missing)
  const environment = await up(temporaryDirectory())
  const telegram = await told(environment)
  const hello = await service()
  const alertmanager = await startAlertmanager(`http://127.0.0.1:${environment.port}/api/alerts/alertmanager`)
  await prometheusFor(hello.port, alertmanager)
  await hello.stop()
  const message = await until('it is told', () => telegram.messages[0], 30_000)
  expect(message.text).toMatch(/^🔴 CRITICAL · hello is down/)
  await hello.start()
  await until('it is resolved', () => message.text.startsWith('✅ RESOLVED'), 60_000)
  expect(firsts(telegram)).toEqual([message])
})
