import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitMessageProblem } from './commit-message.mjs'
import { inProject } from './project.mjs'
import { tempFolder } from './temp-project.ts'

test.each([
  'feat: add the status page',
  'fix(store): keep the lock while migrating',
  'refactor(control/events)!: read in batches',
  'docs: say how to add a channel\n\nThe old text left out the test.\n',
  'revert: add the status page',
  'test: 20 writers at once',
  `chore: ${'x'.repeat(93)}`,
])('%j is accepted', message => {
  expect(commitMessageProblem(message)).toBeNull()
})

test.each([
  ['Add the status page', /must read "type\(scope\): description"/],
  ['feat add it', /must read/],
  ['feat:add it', /must read/],
  ['feat(): add it', /must read/],
  ['', /must read/],
  ['feature: add it', /"feature" is no type; the types are feat, fix/],
  ['feat: ', /must read/],
  ['feat:  add it', /more than one space/],
  ['feat: Add it', /lower-case/],
  ['feat: Ändere es', /lower-case/],
  ['feat: added it', /imperative/],
  ['fix: fixes the lock', /imperative/],
  [`chore: ${'x'.repeat(94)}`, /101 characters, 100 are allowed/],
  ['feat: add it\nand more', /second line must be empty/],
])('%j is refused', (message, problem) => {
  expect(commitMessageProblem(message)).toMatch(problem)
})

test.each([
  ['feat: add it\n\n# Please enter the commit message', 0, ''],
  ['# a comment first\nfeat: add it\n', 0, ''],
  ['Merge branch "x"\n', 0, ''],
  ['fixup! feat: add it\n', 0, ''],
  ['\n# nothing was written\n', 0, ''],
  ['added it\n', 1, 'Commit message not accepted: the first line must read'],
])('the hook with %j ends with %i', (text, status, said) => {
  const folder = tempFolder({ COMMIT_EDITMSG: text })
  const hook = spawnSync(inProject('.githooks/commit-msg'), [join(folder, 'COMMIT_EDITMSG')], {
    encoding: 'utf8',
  })
  expect(hook.status).toBe(status)
  expect(hook.stderr).toContain(said)
  if (status === 0) expect(hook.stderr).toBe('')
})
