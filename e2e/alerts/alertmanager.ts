/** A real Alertmanager that passes on what it gets to a webhook, on a free port. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, temporaryDirectory, until } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'

export const alertmanagerMissing = (): string | undefined =>
  spawnSync('prometheus-alertmanager', ['--version']).error
    ? 'Alertmanager is not installed (Debian: prometheus-alertmanager)'
    : undefined

/** Its host and port. */
export async function startAlertmanager(webhookUrl: string): Promise<string> {
  const directory = temporaryDirectory()
  const port = await freePort()
  const text = [
    'route: {receiver: quarterdeck, group_by: [alertname, job], group_wait: 1s, group_interval: 1s}',
    `receivers: [{name: quarterdeck, webhook_configs: [{url: "${webhookUrl}", send_resolved: true}]}]`,
  ]
  writeFileSync(join(directory, 'am.yml'), `${text.join('\n')}\n`)
  const child = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${directory}/am.yml`,
      `--storage.path=${directory}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await until('Alertmanager is ready', () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return `127.0.0.1:${port}`
}
