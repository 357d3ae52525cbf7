import { expect, test } from 'vitest'
import { projectDocument } from './project.ts'
import { projectChange } from './project-change.ts'
import { projectSettings } from './project-create.ts'

test('what is not sent is not there: no default of a new project slips in', () => {
  expect(projectChange.parse({})).toEqual({})
  expect(projectChange.parse({ branch: 'release' })).toEqual({ branch: 'release' })
})

test('every setting but the name and what was adopted can be changed, to what a project can have', () => {
  const { name, adopted, ...settings } = projectSettings.parse(projectDocument.example)
  const { processes, paths } = projectDocument.example as { processes: unknown; paths: unknown }
  const change = { ...settings, processes, paths }
  expect(projectChange.parse(change)).toEqual(change)
})

test.each(['name', 'adopted', 'held', 'aliases', 'url', 'created_at', 'start', 'port', 'brunch'])(
  'a change of %s is refused by its name',
  field => {
    const { error } = projectChange.safeParse({ [field]: 'x' })
    expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: [field] }])
  },
)

test.each([
  ['repository', 'hello'],
  ['git_url', 'ext::sh -c id'],
  ['branch', '--all'],
  ['group', 'Production'],
  ['machines', ['../x']],
  ['runtime', 'perl'],
  ['interpreter', 'python3 -c x'],
  ['before_restart', []],
  ['linked_paths', ['../etc']],
  ['health', { timeout_s: 0 }],
  ['limits', { install_s: -1 }],
  ['metrics_path', 'metrics'],
  ['runbook', ''],
  ['processes', []],
  ['paths', []],
])('%s is checked as for a new project: %j is refused', (field, value) => {
  const { error } = projectChange.safeParse({ [field]: value })
  expect(error?.issues.map(({ path }) => path[0])).toEqual([field])
})

test.each(['interpreter', 'before_restart', 'runbook'])('%s can be taken away', field => {
  expect(projectChange.parse({ [field]: null })).toEqual({ [field]: null })
})
