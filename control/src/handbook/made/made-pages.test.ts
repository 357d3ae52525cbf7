import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errors, type Project, projectDocument, runErrors } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { builder, problemsOf, source } from '../under-test.ts'
import { errorPages } from './error-pages.ts'
import { projectList, projectPage } from './project-pages.ts'

const example = projectDocument.example as Project

const built = async (texts: ReadonlyMap<string, string>) => {
  const site = await builder().build([source(Object.fromEntries(texts))])
  expect(problemsOf(site)).toEqual([])
  return site
}

test('every error and every reason of a failed run has a page with what to do', async () => {
  const site = await built(errorPages())
  for (const code of Object.keys(errors))
    expect(site.byPath.get(`/errors/${code}`)?.rendered.anchors).toContain('what-to-do')
  for (const code of Object.keys(runErrors))
    expect(site.byPath.get(`/run-errors/${code}`)?.rendered.anchors).toContain('what-to-do')
})

test('troubleshooting goes through every 502 and every reason of a failed run', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../handbook/troubleshooting.md'), 'utf8')
  const upstream = Object.entries(errors).filter(([, { status }]) => status === 502)
  for (const [code] of upstream) expect(text).toContain(`(/errors/${code})`)
  for (const code of Object.keys(runErrors)) expect(text).toContain(`(/run-errors/${code})`)
})

test('what others named cannot be more than text on a project’s page', async () => {
  const hostile = {
    ...example,
    group: '<script>alert(1)</script>',
    runbook: '[x](javascript:alert(1)) | <b> `',
    branch: 'a`|b<i>',
    held: true,
    held_reason: '<img>',
  }
  const run = {
    sha: 'f'.repeat(40),
    kind: 'deploy',
    status: 'failed',
    endedAt: null,
    createdAt: '2026-01-01T00:00:00Z',
    error: 'verify_failed',
  }
  const problem = {
    ...{ name: '<script>|Down', severity: '<b>', openedAt: '2026-01-02T00:00:00Z', endedAt: null },
  }
  const facts = {
    project: hostile,
    runs: [run, { ...run, error: '](x) <script>' }],
    problems: [problem],
    docs: [],
  }
  const site = await built(
    new Map([
      ['projects/hello.md', projectPage(facts)],
      ['projects/index.md', projectList([facts])],
    ]),
  )
  const { html } = site.byPath.get('/projects/hello')!.rendered
  expect(html).not.toMatch(/<script|<b>|<i>|<img|href="javascript/)
  expect(html).toContain('href="/run-errors/verify_failed"')
  expect(html).toContain('<code>qd-hello.service</code>')
  expect(site.byPath.get('/projects')!.rendered.html).not.toContain('<script')
})

test('a project’s page leads to the pages it brings along, and nowhere if it brings none', async () => {
  const one = (docs: string[]) => projectPage({ project: example, runs: [], problems: [], docs })
  const site = await built(
    new Map([
      [`projects/${example.name}.md`, one([`projects/${example.name}/docs/guide`])],
      [`projects/${example.name}/docs/guide.md`, '# Guide'],
    ]),
  )
  expect(site.byPath.get(`/projects/${example.name}`)!.rendered.html).toContain(
    `<a href="/projects/${example.name}/docs/guide">docs/guide</a>`,
  )
  expect(one([])).not.toContain('Its own pages')
  expect(one(Array.from({ length: 23 }, (_, i) => `projects/${example.name}/docs/${i}`))).toContain(
    'and 3 more',
  )
})
