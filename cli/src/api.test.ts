import { type ErrorCode, Fault, operations } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { api } from './api.ts'
import { operatorToken, projectOf, qd, standIn } from './under-test.ts'

afterEach(() => vi.unstubAllEnvs())

const readHello = { 'GET /api/projects/hello': () => projectOf() }
const hello = { params: { name: 'hello' } }

test('what runs on the home is asked with the operator’s token, and answers with its document', async () => {
  const { home, asked } = await standIn(readHello)
  const project = await api({ home }).call(operations.readProject, hello)
  expect(project).toEqual(projectOf())
  expect(asked[0]?.headers).toMatchObject({ host: expect.stringMatching(/^admin\.localhost:/) })
})

test('an environment elsewhere is found by its address and QUARTERDECK_TOKEN', async () => {
  const { port, home } = await standIn(readHello)
  const url = `http://admin.localhost:${port}`
  await expect(api({ url }).call(operations.readProject, hello)).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  vi.stubEnv('QUARTERDECK_TOKEN', operatorToken)
  expect(await api({ url }).call(operations.readProject, hello)).toMatchObject({ name: 'hello' })
  vi.stubEnv('QUARTERDECK_URL', url)
  expect(await api({}).call(operations.readProject, hello)).toMatchObject({ name: 'hello' })
  // What is named on the command line means more than what is set.
  vi.stubEnv('QUARTERDECK_URL', 'http://admin.localhost:1')
  expect(await api({ home }).call(operations.readProject, hello)).toMatchObject({ name: 'hello' })
})

test('a token is never sent to another machine without encryption', async () => {
  vi.stubEnv('QUARTERDECK_TOKEN', operatorToken)
  const url = 'http://admin.example.com'
  await expect(api({ url }).call(operations.readProject, hello)).rejects.toMatchObject({
    code: 'tls_required',
  })
})

test('a name that would lead to another path is refused before it is sent', async () => {
  const { home, asked } = await standIn({})
  const { code, stderr } = await qd('project', 'show', '..', '--home', home)
  expect([code, asked.length]).toEqual([3, 0])
  expect(stderr).toContain('".." cannot be: lower-case letters')
})

test('an error keeps its code; each field has its line; the way out is one of the command line', async () => {
  const fields = [
    { field: 'repository', message: 'of the form <owner>/<repository>' },
    { field: 'branch', message: 'a branch \x1b[31mname' },
  ]
  const { home } = await standIn({
    'POST /api/projects': () => {
      throw new Fault('invalid_fields', 'Not acceptable: repository, branch.', { fields })
    },
  })
  const args = ['project', 'add', 'x', '--repository', 'a/x', '--git', '/x', '--home', home, '--', 'run']
  const { code, stderr } = await qd(...args)
  expect(code).toBe(3)
  expect(stderr).toBe(
    '✗ Not acceptable: repository, branch.\n  repository: of the form <owner>/<repository>\n  branch: a branch name\n  Correct what is named above, then try again.\n',
  )
})

test('for programs an error is a document', async () => {
  const { home } = await standIn({})
  const { code, stdout } = await qd('project', 'show', 'gone', '--home', home, '--json')
  expect(code).toBe(3)
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'not_found',
    remedy: '`qd project list` names the projects, `qd runs` the runs, `qd watch list --all` the services.',
  })
})

test('a code that this version does not know is an unexpected error, with its request', async () => {
  const { home } = await standIn({
    'GET /api/projects/hello': ({ response }) => {
      const problem = { code: 'made_up' as ErrorCode, detail: 'The moon is full.', request_id: 'r-7' }
      response.writeHead(409).end(JSON.stringify(problem))
    },
  })
  const { code, stderr } = await qd('project', 'show', 'hello', '--home', home)
  expect(stderr).toContain('The moon is full. (made_up, request r-7)')
  expect(code).toBe(1)
})

test('what is not Quarterdeck, or another version of it, is told apart', async () => {
  const { home, routes } = await standIn({
    'GET /api/projects/hello': ({ response }) => void response.writeHead(502).end('"bad gateway"'),
  })
  const call = () => api({ home }).call(operations.readProject, hello)
  await expect(call()).rejects.toMatchObject({
    code: 'control_unreachable',
    message: expect.stringContaining('answered 502, and not as Quarterdeck does'),
  })
  routes['GET /api/projects/hello'] = ({ response }) => void response.end('{"name":"hello"}')
  await expect(call()).rejects.toThrow('answered what this qd does not understand (repository:')
})

test('nothing on the home: 4, and how to start it', async () => {
  const home = temporaryDirectory()
  const { code, stderr } = await qd('runs', '--home', home)
  expect(code).toBe(4)
  expect(stderr).toMatch(/✗ Nothing runs on the home .*\n {2}Start it with `qd up`/)
})
