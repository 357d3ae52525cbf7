import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault, tokenDocument } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { api } from '../api.ts'
import { type StandIn, standIn } from '../under-test.ts'
import { addProject, ensureToken } from './projects.ts'
import { samples, tokenFileOf } from './samples.ts'

const [sample] = samples
const [project] = sample!.projects

test('a name that an archived project has kept is not taken again', async () => {
  const { home } = await standIn({
    'POST /api/projects': () => {
      throw new Fault('project_exists', 'A project hello-python-dev was archived on 2026-03-02.')
    },
  })
  expect(await addProject(api({ home }), home, sample!, project!)).toBe(false)
})

test('a token that was made and never kept is revoked before another is made, which is kept for this user alone', async () => {
  const token = (id: string, label: string) => ({ ...(tokenDocument.example as object), id, label })
  const [lost, other] = ['019cadd3-7f48-7c1e-9a40-5d2b7f60e113', '019cadd3-7f48-7c1e-9a40-5d2b7f60e114']
  const control: StandIn = await standIn({
    'GET /api/projects/hello-python-dev/tokens': () => ({
      items: [token(lost!, 'demo'), token(other!, 'ci')],
      next_cursor: null,
    }),
    [`DELETE /api/tokens/${lost}`]: () => undefined,
    'POST /api/projects/hello-python-dev/tokens': () => ({
      ...token(other!, 'demo'),
      token: `qd_deploy_${'b'.repeat(43)}`,
      expires_at: null,
    }),
  })
  const { home, asked } = control
  const file = tokenFileOf(home, sample!, project!)
  mkdirSync(dirname(file), { recursive: true })
  for (const _ of ['made', 'found']) await ensureToken(api({ home }), home, sample!, project!)
  expect(asked.map(({ route }) => route.split('?')[0])).toEqual([
    'GET /api/projects/hello-python-dev/tokens',
    `DELETE /api/tokens/${lost}`,
    'POST /api/projects/hello-python-dev/tokens',
  ])
  expect(readFileSync(file, 'utf8')).toBe(`qd_deploy_${'b'.repeat(43)}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
