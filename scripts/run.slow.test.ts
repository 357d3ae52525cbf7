import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inProject } from './project.mjs'
import { tempProject } from './temp-project.ts'

const showEnvironment = `
process.stdout.write(JSON.stringify({ args: process.argv.slice(2), path: process.env.PATH, cache: process.env.NODE_COMPILE_CACHE }))
`

test('arguments reach the command line untouched', async () => {
  const project = tempProject()
  const args = ['--home', 'a b', '--', '*', '$HOME', '']
  expect((await project.run('qd', ...args)).stdout).toBe(JSON.stringify(args))
  expect((await project.run('up', ...args)).stdout).toBe(JSON.stringify(['up', ...args]))
})

test('a program finds the tools of the lockfile first and a compile cache', async () => {
  const project = tempProject({ 'cli/src/main.ts': showEnvironment })
  const seen = JSON.parse((await project.run('qd')).stdout)
  expect(seen.path.split(':')[0]).toBe(join(project.folder, 'node_modules/.bin'))
  expect(seen.cache).toBe(join(project.folder, 'node_modules/.cache/node-compile'))
})

test('the exit code of a program is passed on', async () => {
  const project = tempProject({ 'cli/src/main.ts': 'process.exitCode = Number(process.argv[2])' })
  expect(await project.run('qd', '0')).toMatchObject({ code: 0, signal: null })
  expect(await project.run('qd', '7')).toMatchObject({ code: 7, signal: null })
})

test('a program that a signal ended ends us by the same signal', async () => {
  const project = tempProject({ 'cli/src/main.ts': "process.kill(process.pid, 'SIGKILL')" })
  expect(await project.run('qd')).toMatchObject({ code: null, signal: 'SIGKILL' })
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s reaches the program, which may end in its own way',
  async signal => {
    const project = tempProject({
      'cli/src/main.ts': `
      process.on('${signal}', () => { process.stdout.write('stopping'); process.exit(5) })
      setInterval(() => {}, 1000)
      process.stdout.write('ready ')`,
    })
    const { child, ended, output } = project.start('up')
    await expect.poll(() => output.stdout, { timeout: 10_000 }).toBe('ready ')
    child.kill(signal)
    expect(await ended).toMatchObject({ code: 5, signal: null, stdout: 'ready stopping' })
  },
)

test('every npm script takes the place of npm’s shell, which would keep signals to itself', () => {
  const { scripts } = JSON.parse(readFileSync(inProject('package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  for (const script of Object.values(scripts)) expect(script).toMatch(/^exec node scripts\/run\.mjs /)
})

test('the executable runs the command line with its arguments and exit code', async () => {
  const project = tempProject({
    'cli/src/main.ts': 'process.stdout.write(process.argv.slice(2).join()); process.exitCode = 4',
    'cli/bin/quarterdeck.mjs': readFileSync(inProject('cli/bin/quarterdeck.mjs'), 'utf8'),
  })
  const ended = await project.startScript('cli/bin/quarterdeck.mjs', 'a', '--b').ended
  expect(ended).toMatchObject({ code: 4, stdout: 'a,--b', stderr: '' })
})

test('an unknown verb names the known ones and installs nothing', async () => {
  const project = tempProject()
  const { code, stderr } = await project.run('frobnicate')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^Usage: .*up\|qd\|test\|check/)
  expect(project.npmCalls()).toEqual([])
})
