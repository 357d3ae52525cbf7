/** A project is deployed with pages in docs/: the handbook has them, and a page about the project itself. */
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { addProject, ended } from '../deploy/placed.ts'
import { repository } from '../deploy/repository.ts'
import { type Environment, up } from '../environment.ts'

const limitMs = 30_000
const page = ({ ask }: Environment, path: string) => ask('docs.localhost', path)

/** The handbook is built anew some time after what it tells of. */
const shows = (environment: Environment, path: string, ...texts: string[]) =>
  until(
    `${path} shows ${texts.join(', ')}`,
    async () => {
      const { text } = await page(environment, path)
      return texts.every(wanted => text.includes(wanted))
    },
    limitMs,
  )

const isGone = (environment: Environment, path: string) =>
  until(`${path} is gone`, async () => (await page(environment, path)).status === 404, limitMs)

async function deployed(environment: Environment): Promise<void> {
  const { json } = await environment.call('POST', '/api/projects/hello/runs', {})
  expect((await ended(environment, json.id)).status).toBe('succeeded')
}

test('what a project brings is shown at its deployed commit, and what is known of it beside', async () => {
  const environment = await up(temporaryDirectory())
  const { url, push } = repository()
  const sha = push('good', {
    'docs/index.md': '# Hello itself\n\n[the runbook](runbook.md)',
    'docs/runbook.md': '---\nkind: runbook\n---\n# When hello is down\n\nLook at the parrot.',
  })
  const runbook = '/projects/hello/docs/runbook'
  await addProject(environment, url, { runbook: runbook.slice(1) })
  await deployed(environment)

  await shows(environment, runbook, 'parrot')
  await shows(environment, '/projects/hello', sha.slice(0, 12), `href="${runbook}"`, '<td>deploy</td>')
  await shows(environment, '/projects', 'href="/projects/hello"')
  await shows(environment, '/search.json?q=parrot', runbook)

  const alert = { labels: { alertname: 'ParrotSilent', job: 'hello', severity: 'warning' } }
  await environment.call('POST', '/api/v2/alerts', [alert])
  await until(
    'its alert is on its page',
    async () => /ParrotSilent[\s\S]*<strong>now/.test((await page(environment, '/projects/hello')).text),
    limitMs,
  )

  push('good', { 'docs/runbook.md': '# When hello is down\n\nLook at the gull.' })
  await deployed(environment)
  await shows(environment, runbook, 'gull')

  await environment.call('DELETE', '/api/projects/hello')
  await isGone(environment, runbook)
  await isGone(environment, '/projects/hello')
})
