import { type Token, tokenDocument } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { projectOf, qd, standIn, startQd } from '../under-test.ts'

const token = `qd_deploy_${'b'.repeat(43)}`
const operatorsToken: Token = { ...(tokenDocument.example as Token), label: 'Ana \x1b[2J’s laptop' }
const deployToken: Token = {
  ...operatorsToken,
  id: '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f71',
  kind: 'deploy',
  label: 'ci',
  project: 'hello',
  last_used_at: null,
  expires_at: '2099-01-01T00:00:00Z',
}
const page = (...items: unknown[]) => ({ items, next_cursor: null })
const made = (label: string) => ({ id: deployToken.id, label, token, expires_at: null })

const routes = {
  'POST /api/projects/hello/tokens': () => made('ci'),
  'POST /api/tokens': () => made('Bo'),
  'GET /api/tokens': () => page(operatorsToken),
  'GET /api/projects': () => page(projectOf()),
  'GET /api/projects/hello/tokens': () => page(deployToken),
  [`POST /api/tokens/${deployToken.id}/rotate`]: () => made('ci'),
  [`DELETE /api/tokens/${deployToken.id}`]: () => undefined,
}

test('a new token is alone on standard output, and what it is for on the other', async () => {
  const { home, asked } = await standIn(routes)
  const ended = await startQd([
    'token',
    'create',
    'hello',
    '--label',
    'ci',
    '--expires',
    '2099-01-01',
    '--home',
    home,
  ]).ended
  expect(ended).toMatchObject({ code: 0, stdout: `${token}\n` })
  expect(ended.stderr).toMatch(/^✓ Token 4d5e6f71 \(ci\), good until it is revoked/)
  expect(ended.stderr).toContain('DEPLOY_TOKEN')
  expect(asked[0]?.body).toEqual({ label: 'ci', expires_at: '2099-01-01T00:00:00.000Z' })
})

test('an operator’s token is asked for by name, and never by leaving the project out', async () => {
  const { home, asked } = await standIn(routes)
  expect(await qd('token', 'create', '--label', 'Bo', '--home', home)).toMatchObject({ code: 3 })
  expect(await qd('token', 'create', 'hello', '--operator', '--label', 'Bo', '--home', home)).toMatchObject({
    code: 3,
  })
  const { stdout } = await qd('token', 'create', '--operator', '--label', 'Bo', '--home', home, '--json')
  expect(JSON.parse(stdout)).toEqual(made('Bo'))
  expect(asked.map(({ route }) => route)).toEqual(['POST /api/tokens'])
})

test('tokens are listed: those of operators, or those of a project', async () => {
  const { home } = await standIn(routes)
  expect((await qd('token', 'list', '--home', home)).stdout).toBe(
    'TOKEN     LABEL          MADE                  LAST USED             STATE\n' +
      '4d5e6f70  Ana ’s laptop  2026-11-15T09:00:00Z  2026-11-15T09:41:00Z  good\n',
  )
  expect((await qd('token', 'list', 'hello', '--home', home)).stdout).toContain(
    'never      good until 2099-01-01',
  )
})

test('a token is rotated and revoked by either end of its id, whoever’s it is', async () => {
  const { home, asked } = await standIn(routes)
  const rotated = await qd('token', 'rotate', '4d5e6f71', '--overlap', '2h', '--home', home)
  expect(rotated.stdout).toBe(`${token}\n`)
  expect(rotated.stderr).toContain('The one before counts for 2 h more')
  expect(asked.at(-1)?.body).toEqual({ overlap_s: 7200 })
  expect((await qd('token', 'revoke', deployToken.id, '--home', home)).stdout).toBe(
    '✓ Token 4d5e6f71 no longer counts.\n',
  )
  expect((await qd('token', 'revoke', '019a8f5e', '--home', home)).stderr).toContain('stands for 2 ids')
})
