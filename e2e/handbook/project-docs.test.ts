/** A project is deployed with pages in docs/: the handbook has them, and a page about the project itself. */
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { addProject, ended } from '../deploy/placed.ts'
import { repository } from '../deploy/repository.ts'
import { type Environment, up } from '../environment.ts'

const page = ({ ask }: Environment, path: string) => ask('docs.localhost', path)

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
  await addProject(environment, url, { runbook: 'projects/hello/docs/runbook' })
  await deployed(environment)

  await until(
    'its pages are there',
    async () => (await page(environment, '/projects/hello/docs/runbook')).text.includes('parrot'),
    30_000,
  )
  const about = (await page(environment, '/projects/hello')).text
  expect(about).toContain(sha.slice(0, 12))
  expect(about).toContain('href="/projects/hello/docs/runbook"')
  expect(about).toMatch(/<td>deploy<\/td>/)
  expect((await page(environment, '/projects')).text).toContain('href="/projects/hello"')
  expect((await page(environment, '/search.json?q=parrot')).text).toContain('/projects/hello/docs/runbook')

  const alert = { labels: { alertname: 'ParrotSilent', job: 'hello', severity: 'warning' } }
  await environment.call('POST', '/api/v2/alerts', [alert])
  await until(
    'its alert is on its page',
    async () => /ParrotSilent[^]*<strong>now/.test((await page(environment, '/projects/hello')).text),
    15_000,
  )

  push('good', { 'docs/runbook.md': '# When hello is down\n\nLook at the gull.' })
  await deployed(environment)
  await until(
    'the new ones are there',
    async () => (await page(environment, '/projects/hello/docs/runbook')).text.includes('gull'),
    30_000,
  )

  await environment.call('DELETE', '/api/projects/hello')
  await until(
    'they are gone',
    async () => (await page(environment, '/projects/hello/docs/runbook')).status === 404,
    30_000,
  )
  expect((await page(environment, '/projects/hello')).status).toBe(404)
})
