import { describe, expect, test } from 'vitest'
import {
  actLimitS,
  type FromAgent,
  fromAgent,
  placedProject,
  type ToAgent,
  toAgent,
  unitLog,
} from './agent-message.ts'
import { projectDocument } from './project.ts'
import { runDocument } from './run.ts'
import { noVariables } from './variable.ts'

const id = '019cadd3-7f48-7c1e-9a40-5d2b7f60e113'
const sha = '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394'
const at = '2026-03-02T09:14:05Z'
const project = placedProject.parse(projectDocument.example)
const steps = (runDocument.example as { steps: { machine: string }[] }).steps.map(
  ({ machine: _, ...step }) => step,
)
const progress = { run_id: id, kind: 'deploy', ref_sha: sha, sha, steps } as never as Extract<
  FromAgent,
  { type: 'run_progress' }
>['progress']
const error = { code: 'verify_failed', message: 'hello exited with code 1.' }
const unit = { name: 'web', state: 'running', pid: 4711, since: at, restarts: 0 } as const

const variables = { id: 'ab'.repeat(16), values: { KEY: 'a\nb', A: '' }, secrets: ['KEY'] }
const sets = { deploy: variables.id, rollback: noVariables }

const said: ToAgent[] = [
  {
    type: 'run',
    order: {
      ...{ id, kind: 'rollback', ref: '4f0c2ad', sent_before: [sha], discard: false },
      variables: sets,
      project,
    },
    confidential: {
      variables: [variables],
      git: {
        ssh: { private_key: 'key', known_hosts: '' },
        https: { url: 'https://git.example.com/', username: 'ana', token: 'a b' },
      },
    },
    log_after: 0,
  },
  {
    type: 'run',
    order: {
      ...{ id, kind: 'deploy', ref: null, sent_before: [], discard: true },
      variables: { deploy: noVariables, rollback: noVariables },
      project,
    },
    confidential: { variables: [], git: null },
    log_after: 7,
  },
  { type: 'cancel', run_id: id },
  { type: 'recorded', run_id: id },
  { type: 'ask', id, question: { what: 'act', action: 'restart', project, variables } },
  { type: 'ask', id, question: { what: 'remove', project: 'hello' } },
  { type: 'ask', id, question: { what: 'busy_ports', ports: [8101] } },
  { type: 'ask', id, question: { what: 'docs', project: 'hello' } },
  { type: 'ask', id, question: { what: 'host_keys', host: 'git.example.com', port: 22 } },
  { type: 'ask', id, question: { what: 'candidates' } },
  { type: 'ask', id, question: { what: 'adopt', project } },
  {
    type: 'ask',
    id,
    question: { what: 'unit_log', project: 'hello', process: 'web', lines: 20, after: null },
  },
]

const heard: FromAgent[] = [
  { type: 'hello', machine: 'web-1', sha },
  { type: 'run_progress', progress },
  {
    type: 'run_log',
    run_id: id,
    lines: [
      { seq: 1, at, step: 'fetch', text: 'From https://github.com/acme/hello' },
      { seq: 2, at, step: null, text: '' },
    ],
  },
  { type: 'run_ended', progress, outcome: { status: 'succeeded', error: null, restored_sha: null } },
  { type: 'run_ended', progress, outcome: { status: 'failed', error, restored_sha: sha } },
  {
    type: 'instance',
    instance: {
      project: 'hello',
      sha,
      proven_sha: sha,
      port: 8101,
      variables: variables.id,
      in_repository: { start: ['python', '-m', 'app'] },
      units: [unit],
    },
  },
  {
    type: 'instance',
    instance: {
      project: 'hello',
      sha: null,
      proven_sha: null,
      port: null,
      variables: null,
      units: [],
    },
  },
  { type: 'reply', id, error: null, value: [8101] },
  { type: 'reply', id, error, value: null },
]

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe.each([
  { side: 'to an agent', schema: toAgent, examples: said },
  { side: 'from an agent', schema: fromAgent, examples: heard },
])('messages $side', ({ schema, examples }) => {
  test('every type has an example', () => {
    const types = schema.options.map(option => option.shape.type.value)
    expect(new Set(examples.map(({ type }) => type))).toEqual(new Set(types))
  })

  test.each(examples.map(message => [message.type, message]))(
    '%s is the same after JSON',
    (_type, message) => {
      expect(schema.parse(throughJson(message))).toEqual(message)
    },
  )

  test.each(examples.map(message => [message.type, message]))(
    '%s needs each of its fields',
    (_type, message) => {
      for (const field of Object.keys(message)) {
        const { [field]: _, ...rest } = throughJson(message) as Record<string, unknown>
        expect([field, schema.safeParse(rest).success]).toEqual([field, false])
      }
    },
  )

  test.each([null, undefined, '', 7, [], {}, { type: 'x' }, { type: ['hello'] }, { type: '__proto__' }])(
    '%j is none',
    garbage => {
      expect(schema.safeParse(garbage).success).toBe(false)
    },
  )
})

test('what one side says is never taken for what the other says', () => {
  for (const message of said) expect(fromAgent.safeParse(message).success).toBe(false)
  for (const message of heard) expect(toAgent.safeParse(message).success).toBe(false)
})

test('every kind of question has an example', () => {
  const ask = toAgent.options.find(option => option.shape.type.value === 'ask')!
  const kinds = (ask.shape as { question: { options: { shape: { what: { value: string } } }[] } }).question
    .options
  const asked = said.flatMap(message => (message.type === 'ask' ? [message.question.what] : []))
  expect(new Set(asked)).toEqual(new Set(kinds.map(option => option.shape.what.value)))
})

test.each([
  ['a machine that is a path', { type: 'hello', machine: '../web', sha }],
  ['a run without an id', { type: 'run_progress', progress: { ...progress, run_id: '7' } }],
  ['a log without lines', { type: 'run_log', run_id: id, lines: [] }],
  ['a line before the first', { type: 'run_log', run_id: id, lines: [{ seq: 0, at, step: null, text: '' }] }],
  [
    'a run that ended as running',
    { type: 'run_ended', progress, outcome: { status: 'running', error: null, restored_sha: null } },
  ],
  [
    'a shortened commit',
    { type: 'instance', instance: { project: 'hello', sha: '4f0c2ad', port: 1, units: [] } },
  ],
  [
    'a unit in no state',
    { type: 'instance', instance: { project: 'hello', sha, port: 1, units: [{ ...unit, state: 'odd' }] } },
  ],
])('%s is not understood', (_what, message) => {
  expect(fromAgent.safeParse(message).success).toBe(false)
})

test('an agent is told of a project only what it needs', () => {
  expect(Object.keys(project).sort()).toEqual([
    'adopted',
    'before_restart',
    'branch',
    'git_url',
    'health',
    'interpreter',
    'limits',
    'linked_paths',
    'name',
    'processes',
    'runtime',
  ])
})

test.each([{ lines: ['a'], next: -1 }, { lines: [7], next: 0 }, { next: 0 }, ['a']])(
  '%j is not some of a unit’s log',
  value => {
    expect(unitLog.safeParse(value).success).toBe(false)
  },
)

test('who restarts waits for as long as a machine may take, forth and back', () => {
  expect(actLimitS({ health: { timeout_s: 60 }, limits: project.limits })).toBe(480)
})
