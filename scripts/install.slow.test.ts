import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordCall, tempProject } from './temp-project.ts'

test('the first start installs, and the second finds nothing to do and says nothing', async () => {
  const project = tempProject()
  const first = await project.run('qd')
  expect(first).toMatchObject({ code: 0, stdout: '[]' })
  expect(first.stderr).toMatch(/^Installing packages …\nInstalled packages in [\d.]+ s\.\n$/)
  expect(await project.run('qd')).toMatchObject({ code: 0, stdout: '[]', stderr: '' })
  expect(project.npmCalls()).toHaveLength(1)
  expect(project.npmCalls()[0]).toMatch(/^install .*--no-save/)
})

test.each(['package-lock.json', 'package.json', 'cli/package.json'])(
  'a changed %s installs again',
  async file => {
    const project = tempProject()
    await project.run('qd')
    project.write({ [file]: `${readFileSync(join(project.folder, file), 'utf8')}\n` })
    expect((await project.run('qd')).stderr).toContain('Installing packages')
    expect(project.npmCalls()).toHaveLength(2)
  },
)

test('when npm fails its output is shown with the way out, and the next start tries again', async () => {
  const project = tempProject({
    'npm.mjs': recordCall("process.stderr.write('E404 no such package\\n'); process.exitCode = 3"),
  })
  const failed = await project.run('qd')
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toContain('E404 no such package')
  expect(failed.stderr).toMatch(
    /could not be installed: npm ended with exit code 3\. Check the network .* again\.\n$/,
  )
  project.write({ 'npm.mjs': recordCall('') })
  expect(await project.run('qd')).toMatchObject({ code: 0, stdout: '[]' })
  expect(project.npmCalls()).toHaveLength(2)
})

test('an install that fails after one that passed does not count as installed', async () => {
  const project = tempProject()
  await project.run('qd')
  project.write({ 'package-lock.json': '{}', 'npm.mjs': recordCall('process.exitCode = 1') })
  expect(await project.run('qd')).toMatchObject({ code: 1 })
  project.write({ 'package-lock.json': '{ "lockfileVersion": 3 }', 'npm.mjs': recordCall('') })
  expect((await project.run('qd')).stderr).toContain('Installed packages')
})

test('of several starts at once one installs and the others wait for it', async () => {
  const project = tempProject({ 'npm.mjs': recordCall('await new Promise(done => setTimeout(done, 700))') })
  const all = await Promise.all([project.run('qd'), project.run('qd'), project.run('qd')])
  expect(all.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, '[]'],
    [0, '[]'],
    [0, '[]'],
  ])
  expect(project.npmCalls()).toHaveLength(1)
  expect(all.filter(({ stderr }) => /^Waiting for process \d+/.test(stderr))).toHaveLength(2)
})

test('the lock of a process that is gone, or whose number another one has now, is taken over', async () => {
  for (const holder of ['999999999-1', `${process.pid}-1`]) {
    const project = tempProject({ 'node_modules/.keep': '' })
    symlinkSync(holder, join(project.folder, 'node_modules/.quarterdeck-install.lock'))
    expect(await project.run('qd')).toMatchObject({ code: 0, stdout: '[]' })
    expect(ownFiles(project.folder)).toEqual(['.quarterdeck-install'])
  }
})

test('a signal during the install ends npm and the command, and frees the lock', async () => {
  const project = tempProject({
    'npm.mjs': recordCall('setInterval(() => {}, 1000)'),
  })
  const { child, ended } = project.start('qd')
  await expect.poll(() => project.npmCalls()).toHaveLength(1)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '' })
  expect(ownFiles(project.folder)).toEqual([])
})

function ownFiles(folder: string): string[] {
  return readdirSync(join(folder, 'node_modules')).filter(name => name.startsWith('.quarterdeck'))
}
