import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Fault, type VariableList, type VariableRevision, variableListDocument } from '@quarterdeck/contract'
import { describe, expect, test } from 'vitest'
import { projectOf, qd, type Routes, runOf, standIn, startQd } from '../under-test.ts'
import { askHidden } from './hidden.ts'

const example = variableListDocument.example as VariableList
const listed = (changes: Partial<VariableList> = {}): VariableList => ({ ...example, ...changes })
const current = (is: boolean) => ({ instances: [{ machine: 'web-1', current: is }] })
const path = '/api/projects/hello/variables'

const revisions: VariableRevision[] = [
  {
    ...{ revision: 8, at: '2026-03-02T10:00:00Z', by: 'operator:ana', set: ['LOG_LEVEL'], unset: ['OLD'] },
    ...{ restored_from: 6, run_id: runOf().id },
  },
  {
    ...{ revision: 7, at: '2026-03-02T09:00:00Z', by: 'operator:ana', set: ['LOG_LEVEL'], unset: [] },
    ...{ restored_from: null, run_id: null },
  },
]

const routes: Routes = {
  [`GET ${path}`]: () => listed(),
  [`PATCH ${path}`]: () => listed(current(false)),
  [`POST ${path}/restore`]: () => listed(current(false)),
  [`GET ${path}/revisions`]: () => ({ items: revisions, next_cursor: null }),
  'GET /api/projects/hello': () => projectOf(),
  'POST /api/projects/hello/restart': () => projectOf(),
}

const bodies = (asked: { route: string; body: unknown }[], method: string) =>
  asked.filter(({ route }) => route.startsWith(method)).map(({ body }) => body)

test('a list shows everything but secrets, and says what does not have them yet', async () => {
  const { home, routes: mounted } = await standIn({ ...routes })
  expect((await qd('var', 'list', 'hello', '--home', home)).stdout).toBe(
    'NAME       VALUE  CHANGED               BY\n' +
      'API_KEY    ••••   2026-03-01T10:00:00Z  operator:ana\n' +
      'LOG_LEVEL  info   2026-03-02T09:00:00Z  operator:ana\n',
  )
  mounted[`GET ${path}`] = () =>
    listed({ ...current(false), items: [{ ...example.items[1]!, value: 'a\nb' }] })
  const { stdout } = await qd('var', 'ls', 'hello', '--home', home)
  expect(stdout).toContain('LOG_LEVEL  a↵b')
  expect(stdout).toContain(
    '! What runs on web-1 does not have them yet: the next deploy or `qd restart hello`',
  )
  mounted[`GET ${path}`] = () => listed({ items: [], instances: [] })
  expect((await qd('var', 'list', 'hello', '--home', home)).stdout).toContain('hello has no variables')
  expect(JSON.parse((await qd('var', 'list', 'hello', '--home', home, '--json')).stdout).items).toEqual([])
})

describe('qd var set', () => {
  test('sets what is given, and says what to do next', async () => {
    const { home, asked } = await standIn(routes)
    const { code, stdout, stderr } = await qd('var', 'set', 'hello', 'LOG_LEVEL=a=b', 'X=', '--home', home)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(
      '✓ LOG_LEVEL, X set (revision 7 of the variables of hello).\n' +
        '  What runs on web-1 does not have them yet: the next deploy or `qd restart hello` brings them.\n',
    )
    expect(bodies(asked, 'PATCH')).toEqual([{ set: { LOG_LEVEL: { value: 'a=b' }, X: { value: '' } } }])
  })

  test('a secret in the command line works, and is warned of', async () => {
    const { home, asked } = await standIn(routes)
    const { stderr, stdout } = await qd('var', 'set', 'hello', 'API_KEY=hunter22', '--secret', '--home', home)
    expect(stderr).toMatch(/^That secret is in the shell’s history now; .*\n$/)
    expect(stdout + stderr).not.toContain('hunter22')
    expect(bodies(asked, 'PATCH')).toEqual([{ set: { API_KEY: { value: 'hunter22', secret: true } } }])
  })

  test('a name alone has its value from standard input, but for the line feed at its end', async () => {
    const { home, asked } = await standIn(routes)
    const set = (...rest: string[]) => ['var', 'set', 'hello', '--secret', '--home', home, ...rest]
    const ended = await startQd(set('API_KEY'), {}, 'line 1\nline 2\n\n').ended
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(bodies(asked, 'PATCH')).toEqual([
      { set: { API_KEY: { value: 'line 1\nline 2\n', secret: true } } },
    ])
    const two = await startQd(set('A', 'B'), {}, 'x').ended
    expect([two.code, two.stderr]).toEqual([3, expect.stringContaining('the value of one variable, and 2')])
    expect((await startQd(set('A')).ended).stderr).toContain('Nothing came on standard input for A')
  })

  test('takes a file, together with what else is given', async () => {
    const { home, asked } = await standIn(routes)
    const file = join(home, '.env')
    writeFileSync(file, '# ours\nA=1\nB="x\ny"\n')
    await qd('var', 'set', 'hello', 'C=3', '--env-file', file, '--home', home)
    expect(bodies(asked, 'PATCH')).toEqual([
      { set: { A: { value: '1' }, B: { value: 'x\ny' }, C: { value: '3' } } },
    ])
    const twice = await qd('var', 'set', 'hello', 'A=3', '--env-file', file, '--home', home)
    expect([twice.code, twice.stderr]).toEqual([3, expect.stringContaining('A is given twice')])
    const gone = await qd('var', 'set', 'hello', '--env-file', `${file}.x`, '--home', home)
    expect(gone.stderr).toContain('.env.x cannot be read: ENOENT')
  })

  test.each([
    [['PORT=hunter2'], '"PORT" cannot be a name: is set by Quarterdeck or the system'],
    [['A-B=hunter2'], '"A-B" cannot be a name'],
    [['A=hunter2\x07'], 'The value of A cannot be: must not hold control characters'],
    [[], 'No variables were given'],
  ])('%j is refused before anything is asked, and no value is shown', async (words, message) => {
    const { home, asked } = await standIn(routes)
    const { code, stderr } = await qd('var', 'set', 'hello', ...words, '--home', home)
    expect([code, asked]).toEqual([3, []])
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('hunter2')
  })

  test('restarts if asked; what was set stands if the restart fails', async () => {
    const { home, asked, routes: mounted } = await standIn({ ...routes })
    const restart = () => qd('var', 'set', 'hello', 'A=1', '--restart', '--home', home)
    const done = await restart()
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('✓ hello was restarted with them.')])
    expect(asked.map(({ route }) => route).slice(-1)).toEqual(['POST /api/projects/hello/restart'])
    mounted['POST /api/projects/hello/restart'] = () => {
      throw new Fault('unit_failed', 'With the new variables it does not run.')
    }
    const failed = await restart()
    expect([failed.code, failed.stdout]).toEqual([3, expect.stringContaining('✓ A set (revision 7')])
    expect(failed.stderr).toContain('With the new variables it does not run.')
  })

  test('for programs: the variables as they are then', async () => {
    const { home } = await standIn(routes)
    const set = (...rest: string[]) => qd('var', 'set', 'hello', 'A=1', '--home', home, '--json', ...rest)
    expect(JSON.parse((await set()).stdout)).toEqual(listed(current(false)))
    expect(JSON.parse((await set('--restart')).stdout)).toEqual(listed())
  })
})

test('what is typed does not appear, and Ctrl+C changes nothing', async () => {
  const typing = () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    return { input, output, asked: askHidden('API_KEY: ', { input, output }) }
  }
  const first = typing()
  first.input.write('hunter22\n')
  expect(await first.asked).toBe('hunter22')
  expect(String(first.output.read())).toBe('API_KEY: \n')
  const second = typing()
  second.input.write('hunt\x03')
  await expect(second.asked).rejects.toMatchObject({ code: 'invalid_fields' })
  const third = typing()
  third.input.end('hunt')
  await expect(third.asked).rejects.toMatchObject({ code: 'invalid_fields' })
})

test('variables are unset by name; one that is not there is refused', async () => {
  const { home, asked } = await standIn(routes)
  const { stdout } = await qd('var', 'unset', 'hello', 'LOG_LEVEL', 'API_KEY', '--home', home)
  expect(stdout).toContain('✓ LOG_LEVEL, API_KEY unset (revision 7')
  const typo = await qd('var', 'unset', 'hello', 'LOG_LEVLE', '--home', home)
  expect([typo.code, typo.stderr]).toEqual([3, expect.stringContaining('hello has no variable LOG_LEVLE')])
  expect(bodies(asked, 'PATCH')).toEqual([{ unset: ['LOG_LEVEL', 'API_KEY'] }])
})

test('the history tells who changed what when; an earlier revision comes back, with its secrets if asked', async () => {
  const { home, asked } = await standIn(routes)
  expect((await qd('var', 'history', 'hello', '--home', home)).stdout).toBe(
    'REVISION  WHEN                  BY            WHAT\n' +
      '8         2026-03-02T10:00:00Z  operator:ana  rollback 7f60e113; as in 6; set LOG_LEVEL; unset OLD\n' +
      '7         2026-03-02T09:00:00Z  operator:ana  set LOG_LEVEL\n',
  )
  const { stdout } = await qd('var', 'restore', 'hello', '6', '--home', home)
  expect(stdout).toContain('✓ Variables are as in revision 6 (revision 7 of the variables of hello).')
  await qd('var', 'restore', 'hello', '0', '--secrets', '--home', home)
  expect(bodies(asked, 'POST')).toEqual([
    { revision: 6, secrets: false },
    { revision: 0, secrets: true },
  ])
  expect((await qd('var', 'restore', 'hello', 'last', '--home', home)).code).toBe(2)
})
