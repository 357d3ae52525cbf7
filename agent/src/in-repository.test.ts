import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { projectIn, saidIn } from './in-repository.ts'
import { project } from './runtimes/under-test.ts'

function releaseWith(text?: string): string {
  const release = temporaryDirectory()
  mkdirSync(join(release, 'deploy'))
  if (text !== undefined) writeFileSync(join(release, 'deploy/quarterdeck.yaml'), text)
  return release
}

const web = { name: 'web', start: ['python', '-m', 'app'], port: 8101, timer: null, socket: true }
const ordered = project({ processes: [web], linked_paths: ['.env'], before_restart: ['old'] })

test('without such a file, or with an empty one, everything is as it was ordered', () => {
  expect(saidIn(releaseWith())).toBeNull()
  expect(projectIn(releaseWith(), ordered)).toEqual(ordered)
  expect(projectIn(releaseWith('# nothing yet\n'), ordered)).toEqual(ordered)
})

test('what it says goes before; the port stays the operator’s', () => {
  const release = releaseWith(`
processes:
  - name: web
    start: [python, -m, app.web]
  - name: tidy
    start: [python, -m, app.tidy]
    timer: { at: "03:30" }
before_restart: [python, -m, app.migrate]
linked_paths: [uploads/]
health: { timeout_s: 5 }
interpreter: python3.11
`)
  expect(projectIn(release, ordered)).toEqual({
    ...ordered,
    processes: [
      { name: 'web', start: ['python', '-m', 'app.web'], port: 8101, timer: null, socket: false },
      {
        name: 'tidy',
        start: ['python', '-m', 'app.tidy'],
        port: null,
        timer: { at: '03:30' },
        socket: false,
      },
    ],
    before_restart: ['python', '-m', 'app.migrate'],
    linked_paths: ['uploads/'],
    health: { timeout_s: 5 },
    interpreter: 'python3.11',
  })
})

test('the short form keeps what the project has of its web process', () => {
  expect(projectIn(releaseWith('start: [node, app.js]'), ordered).processes).toEqual([
    { ...web, start: ['node', 'app.js'] },
  ])
})

test('a step can be taken away', () => {
  expect(projectIn(releaseWith('before_restart: null'), ordered).before_restart).toBeNull()
})

test('of what was adopted the units stay as they are', () => {
  const adopted = { work: '/srv/x', environment: '/srv/x/venv', user: 'x', units: { web: 'x.service' } }
  const release = releaseWith('start: [other]\nlinked_paths: [x]\nbefore_restart: [step]')
  expect(projectIn(release, { ...ordered, adopted })).toEqual({
    ...ordered,
    adopted,
    before_restart: ['step'],
  })
})

test.each([
  ['processes: [', /^deploy\/quarterdeck\.yaml: .* at line 1, column \d+\.$/],
  ['processes: []', /processes: /],
  ['port: 80', /port is no setting that a repository may have/],
  ['processes: [{name: web, start: [x], port: 80}]', /processes\.0\.port is no setting/],
  ['start: python -m app', /start: .*array/],
  ['start: [a]\nprocesses: [{name: web, start: [a]}]', /either start or processes/],
  ['linked_paths: [../../etc]', /linked_paths\.0: a relative path/],
  ['processes: [{name: a, start: [x]}, {name: a, start: [y]}]', /own name/],
  ['- a', /expected object/],
  ['x'.repeat(70_000), /longer than 64 KiB/],
  [`a: &a [x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]`, /alias|no setting/],
])('%j is refused with its place', (text, sentence) => {
  expect(() => projectIn(releaseWith(text), ordered)).toThrow(sentence)
})

test('a web process needs a port, which the operator gives', () => {
  const workers = project({ processes: [{ ...web, name: 'mailer', port: null }] })
  expect(() => projectIn(releaseWith('start: [a]'), workers)).toThrow(/has no port/)
})

test('neither a link nor a pipe is read', () => {
  const linked = releaseWith()
  symlinkSync('/etc/passwd', join(linked, 'deploy/quarterdeck.yaml'))
  expect(() => saidIn(linked)).toThrow(/must be a file of its own/)
  const piped = releaseWith()
  execFileSync('mkfifo', [join(piped, 'deploy/quarterdeck.yaml')])
  expect(() => saidIn(piped)).toThrow(/it is not a file/)
})
