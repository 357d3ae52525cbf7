import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ApplyOutcome,
  applyOutcomeDocument,
  environmentFile,
  Fault,
  type Project,
} from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import { projectOf, qd, type Routes, standIn, startQd } from '../under-test.ts'
import { entryOf } from './entry.ts'
import { environmentText } from './environment-text.ts'
import { EnvironmentYaml } from './environment-yaml.ts'

const plainest = projectOf({
  name: 'plain',
  processes: [{ name: 'web', start: ['python', '-m', 'app'], port: 8400, timer: null, socket: false }],
  ...{ machines: [], before_restart: null, linked_paths: [], runbook: null },
})

const variables = (
  [
    ['GREETING', 'Hello: # you'],
    ['KEY', null],
  ] as const
).map(([name, value]) => ({ name, value, secret: value === null, updated_at: '', updated_by: '' }))

const textOf = (...projects: Project[]) =>
  environmentText(Object.fromEntries(projects.map(project => [project.name, entryOf(project, variables)])))

const nothing: ApplyOutcome = {
  ...(applyOutcomeDocument.example as ApplyOutcome),
  ...{ created: [], changed: [], archived: [], unchanged: ['hello'], not_in_file: [], secrets_to_set: [] },
  services: { created: [], changed: [], unchanged: [], removed: [], not_in_file: [] },
}
const something = applyOutcomeDocument.example as ApplyOutcome

async function applying(text: string, outcome: ApplyOutcome, more: Routes = {}) {
  const it = await standIn({
    'POST /api/apply': ({ route }) => ({ ...outcome, applied: !route.includes('dry_run') }),
    ...more,
  })
  const file = join(it.home, 'environment.yaml')
  writeFileSync(file, text)
  return { ...it, apply: (...args: string[]) => qd('apply', file, '--home', it.home, ...args), file }
}

describe('what is exported', () => {
  test('is what a person would write, by name, and says what it is', () => {
    expect(textOf(projectOf(), plainest)).toMatchInlineSnapshot(`
      "# The projects and watched services of a Quarterdeck environment, written by \`qd export\`.
      # \`qd apply FILE --dry-run\` shows what would be changed, \`qd apply FILE\` changes it.
      # What has its default is left out. Of secrets only the names are in it; tokens,
      # keys and whether a project is held are not.

      schema: 1
      projects:
        hello:
          repository: acme/hello
          git_url: https://github.com/acme/hello.git
          runtime: python
          processes:
            - name: web
              start: [python, -m, app]
              port: 8101
              socket: true
            - name: mailer
              start: [python, -m, app.mailer]
            - name: tidy
              start: [python, -m, app.tidy]
              timer: {at: 03:30}
          before_restart: [python, -m, app.migrate]
          linked_paths: [uploads/]
          machines: [web-1]
          runbook: https://docs.example.com/runbooks/hello
          variables:
            GREETING: "Hello: # you"
            KEY: {secret: true}

        plain:
          repository: acme/hello
          git_url: https://github.com/acme/hello.git
          runtime: python
          start: [python, -m, app]
          port: 8400
          variables:
            GREETING: "Hello: # you"
            KEY: {secret: true}
      "
    `)
  })

  test('means the same when it is read again, whatever the settings', () => {
    const odd = ['no', '0x1f', '1e3', '~', '', ' # x', "it's", '"', '\n', '*a', '{}', 'é😀', '-', '? :']
    const start = odd.filter(text => text !== '')
    const hostile: Project[] = [
      projectOf(),
      plainest,
      projectOf({ name: 'no', branch: '0x10', runbook: 'null', before_restart: start }),
      projectOf({ name: 'true', group: 'y', machines: ['null', 'yes'], linked_paths: ['1/', '~x'] }),
      projectOf({
        name: 'adopted',
        processes: [{ name: 'web', start: ['a'], port: 1, timer: null, socket: false }],
        adopted: { work: '/srv/x', environment: '/srv/v', user: 'x', units: { web: 'x.service' } },
        paths: ['package.json'],
        limits: { fetch_s: 0.5, install_s: 900, before_restart_s: 600, restart_s: 86_400 },
        health: { timeout_s: 5 },
      }),
    ]
    const { projects } = new EnvironmentYaml('f', textOf(...hostile)).file
    const whole = ({
      processes,
      start: only,
      port,
      paths,
      variables: _v,
      ...rest
    }: (typeof projects)[string]) => ({
      ...rest,
      paths: paths ?? ['app/', 'deploy/', 'requirements.txt'],
      processes: (processes ?? [{ name: 'web', start: only, port }]).map(process => ({
        ...{ port: null, timer: null, socket: false },
        ...process,
      })),
    })
    for (const { name, ...project } of hostile) {
      expect(projects[name]?.variables).toEqual({ GREETING: 'Hello: # you', KEY: { secret: true } })
      const { aliases: _a, held: _h, held_reason: _r, instances: _i, url: _u, ...settings } = project
      const { created_at: _c, updated_at: _t, ...wanted } = settings
      expect([name, whole(projects[name]!)]).toEqual([name, wanted])
    }
  })

  test('comes to a file or to standard output, all of it or some', async () => {
    const items = variables.map(variable => ({ ...variable, updated_at: '2026-03-02T09:14:06Z' }))
    const { home, asked } = await standIn({
      'GET /api/projects': ({ route }) =>
        route.includes('cursor=more')
          ? { items: [plainest], next_cursor: null }
          : { items: [projectOf()], next_cursor: 'more' },
      'GET /api/projects/plain': () => plainest,
      'GET /api/services': () => ({ items: [], next_cursor: null }),
      'GET /api/projects/hello/variables': () => ({ revision: 1, items, instances: [] }),
      'GET /api/projects/plain/variables': () => ({ revision: 1, items, instances: [] }),
    })
    const all = await qd('export', '--home', home)
    expect([all.code, all.stdout]).toEqual([0, textOf(projectOf(), plainest)])
    const file = join(home, 'out.yaml')
    const some = await qd('export', '--project', 'plain', '--file', file, '--home', home)
    expect(some).toMatchObject({ code: 0, stdout: '' })
    expect(readFileSync(file, 'utf8')).toBe(textOf(plainest))
    expect(asked.at(-2)?.route).toBe('GET /api/projects/plain')
    const { stdout } = await qd('export', '--json', '--home', home)
    expect(Object.keys(environmentFile.parse(JSON.parse(stdout)).projects)).toEqual(['hello', 'plain'])
    expect((await qd('export', '--file', join(home, 'no/where'), '--home', home)).code).toBe(3)
  })
})

const good = textOf(projectOf(), plainest)

describe('an apply', () => {
  test('shows the difference, and makes it with its digest', async () => {
    const { apply, asked } = await applying(good, something)
    const { code, stdout } = await apply('--yes')
    expect(stdout).toMatchInlineSnapshot(`
      "+ hello  acme/hello, port 8101
      ~ shop
          branch: main → stable
          processes.mailer: {"start":["python","-m","shop.mailer"]}
      + payments  watched at https://api.payments.example/health
      ~ mail
          interval_s: 15 → 60
      ! API_KEY of hello is a secret that is not there: qd var set hello API_KEY --secret
        not in the file, and left as they are: wiki, dns
      ✓ 2 added, 2 changed.
      "
    `)
    expect(code).toBe(0)
    expect(asked.map(({ route }) => route)).toEqual([
      'POST /api/apply?prune=false&dry_run=true',
      `POST /api/apply?prune=false&digest=${something.digest}`,
    ])
    expect(asked[1]?.body).toEqual(asked[0]?.body)
    // Defaults are control's to fill in.
    expect(asked[0]?.body).not.toHaveProperty('projects.plain.branch')
    expect(Object.keys((asked[0]!.body as { projects: object }).projects)).toEqual(['hello', 'plain'])
  })

  test('that would change nothing does nothing', async () => {
    const { apply, asked } = await applying(good, nothing)
    expect(await apply('--yes', '--prune')).toMatchObject({
      code: 0,
      stdout: 'Everything is as the file says.\n',
    })
    expect(asked.map(({ route }) => route)).toEqual(['POST /api/apply?prune=true&dry_run=true'])
  })

  test('is only shown with --dry-run, whose exit code tells whether there is a difference', async () => {
    const there = await applying(good, something)
    expect(await there.apply('--dry-run')).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('+ hello'),
    })
    expect(there.asked).toHaveLength(1)
    const json = await there.apply('--dry-run', '--json')
    expect([json.code, JSON.parse(json.stdout)]).toEqual([5, something])
    const none = await applying(good, nothing)
    expect((await none.apply('--dry-run')).code).toBe(0)
  })

  test('is not made where nobody was asked', async () => {
    const { apply, asked } = await applying(good, something)
    expect(await apply()).toMatchObject({ code: 3, stderr: expect.stringContaining('Say it with --yes.') })
    expect(asked).toHaveLength(1)
    const { stdout, code } = await apply('--yes', '--json')
    expect([code, JSON.parse(stdout)]).toEqual([0, { ...something, applied: true }])
  })

  test('is read from standard input', async () => {
    const { home, asked } = await applying('', nothing)
    const { code, stdout } = await startQd(['apply', '-', '--home', home], {}, good).ended
    expect([code, stdout]).toEqual([0, 'Everything is as the file says.\n'])
    expect(asked).toHaveLength(1)
  })

  test('that control refuses is told by line and column', async () => {
    const { apply, file } = await applying(good, something, {
      'POST /api/apply': () => {
        throw new Fault('invalid_fields', 'Not acceptable: many. Nothing was changed.', {
          fields: [
            { field: 'projects.plain.port', message: 'the project x has it' },
            { field: 'projects.gone', message: 'is running' },
          ],
        })
      },
    })
    const { code, stderr } = await apply('--yes')
    expect(code).toBe(3)
    const line = good.split('\n').indexOf('    port: 8400') + 1
    expect(stderr).toContain(`  ${file}:${line}:5 projects.plain.port: the project x has it\n`)
    expect(stderr).toContain('projects.gone: is running\n')
  })

  test('that something else came before is not made', async () => {
    const { apply } = await applying(good, something, {
      'POST /api/apply': ({ route }) => {
        if (!route.includes('digest')) return something
        throw new Fault('changed_meanwhile', 'Something else would be done by now than what was shown.')
      },
    })
    expect(await apply('--yes')).toMatchObject({ code: 3, stderr: expect.stringContaining('--dry-run') })
  })
})

const entry = '{repository: a/b, git_url: /g, runtime: python, start: [x]}'

describe('a file that cannot be', () => {
  test.each([
    ['', 'f: is empty; it begins with `schema: 1`'],
    ['- 1', 'f: must be a map'],
    ['schema: 1\nprojects:\n  a: {x: [}', 'f:3:11: '],
    ['schema: 1\nschema: 1', 'f:2:1: schema is there twice'],
    [`schema: 1\nprojects:\n  a: ${entry}\n  a: ${entry}`, 'f:4:3: a is there twice'],
    ['schema: 1\n? [a]\n: 1', 'f:2:3: a key must be a name'],
    ['schema: 1\n__proto__: {}', 'f:2:1: a key must be a name'],
    ['schema: 1\n---\nschema: 1', 'f:2:1: a second document; there can be only one'],
    ['schema: !!js/function x', 'f:1:9: Unresolved tag'],
    ['schema: 1\nprojects: *nowhere', 'f'],
    ['schema: 2', 'f:1:1 schema: Invalid input: expected 1'],
    ['schema: 1\nproject: {}', 'f:2:1 project: is not known; known are schema, projects'],
    [`schema: 1\nprojects:\n  A b: ${entry}`, 'f:3:3 projects.A b: '],
    ['schema: 1\nprojects:\n  a:\n    port: "x"', 'f:4:5 projects.a.port: Invalid input: expected number'],
    [
      'schema: 1\nprojects:\n  a:\n    prot: 1',
      'f:4:5 projects.a.prot: is no setting of a project; there are',
    ],
    [
      'schema: 1\nprojects:\n  a:\n    limits: {fetch: 1}',
      'f:4:14 projects.a.limits.fetch: is not known here',
    ],
    [
      'schema: 1\nprojects:\n  a:\n    variables: {A: 1}',
      'f:4:17 projects.a.variables.A: a text, with numbers and the like in quotes',
    ],
    ['schema: 1\nprojects:\n  a: 1', 'f:3:3 projects.a: Invalid input: expected object, received number'],
    [
      'schema: 1\nprojects:\n  a:\n    start: [x]\n    processes:\n      - {name: web, start: [1]}',
      'f:6:29 projects.a.processes.0.start.0: Invalid input: expected string',
    ],
    [`schema: 1\nprojects:\n  a: {<<: ${entry}, branch: b}`, 'f:3:7 projects.a.<<: is no setting'],
  ])('%j is refused: %s', (text, expected) => {
    const problems = (() => {
      try {
        new EnvironmentYaml('f', text)
      } catch (error) {
        return (error as Fault).fields.map(({ field, message }) => `${field}: ${message}`)
      }
    })()
    expect(problems?.find(problem => problem.startsWith(expected)) ?? problems).toContain(expected)
  })

  test('is told all that is wrong with it', async () => {
    const { apply, asked } = await applying(
      `schema: 1\nprojects:\n  a: {port: x}\n  b: {runtime: c}`,
      nothing,
    )
    const { code, stderr } = await apply('--yes')
    expect(code).toBe(3)
    expect(stderr).toContain('problems. Nothing was changed.')
    expect(stderr).toContain(':3:7 projects.a.port: ')
    expect(stderr).toContain(':4:7 projects.b.runtime: ')
    expect(asked).toEqual([])
  })

  test('does not fill the memory nor take its time', () => {
    const level = (n: number) =>
      `l${n}: &l${n} [${Array(9)
        .fill(`*l${n - 1}`)
        .join(', ')}]`
    const bomb = ['l0: &l0 [x]', ...Array.from({ length: 20 }, (_, n) => level(n + 1))].join('\n')
    expect(() => new EnvironmentYaml('f', bomb)).toThrow(/cannot be applied/)
    const many = Array.from({ length: 4000 }, (_, n) => `k${n}: 1`).join('\n')
    expect(() => new EnvironmentYaml('f', many)).toThrow(/4001 problems/)
    expect(() => new EnvironmentYaml('f', '['.repeat(20_000))).toThrow()
  })

  test('is no file, a directory, too large or not UTF-8', async () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'd'))
    writeFileSync(join(directory, 'large'), 'x'.repeat(4 * 1024 * 1024 + 1))
    writeFileSync(join(directory, 'binary'), Buffer.from([0xff, 0xfe, 0x00]))
    for (const name of ['nowhere', 'd', 'large', 'binary']) {
      const { code, stderr } = await qd('apply', join(directory, name))
      expect([name, code, stderr]).toEqual([name, 3, expect.stringContaining('cannot be read')])
    }
  })
})
