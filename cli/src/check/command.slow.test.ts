import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkCommand } from './command.ts'
import { brokenService, goodService, sha } from './under-test.ts'

const main = join(import.meta.dirname, '../main.ts')

/** Runs `qd check` to its end. */
function check(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; stdout: string; stderr: string }>()
  const child = execFile(process.execPath, [main, 'check', ...args], (_error, stdout, stderr) =>
    resolve({ code: child.exitCode ?? -1, stdout, stderr }),
  )
  return promise
}

test('a service that keeps the contract: 0, a line per clause, a verdict', async () => {
  const url = `http://hello.localhost:${await goodService()}`
  const { code, stdout } = await check(url, '--name', 'hello', '--sha', sha, '--metrics')
  expect(stdout).toContain('Health\n  ✓ /healthz answers 200')
  expect(stdout).toContain(`\n\n${url} keeps the contract.`)
  expect(stdout).not.toContain('✗')
  expect(code).toBe(0)
})

test('a breach: 3, what was found, and what to do', async () => {
  const url = await brokenService((_, { path }) =>
    path === '/version'
      ? { body: '{"name":"hello","sha":"unknown"}' }
      : path === '/metrics'
        ? { status: 404 }
        : {},
  )
  const { code, stdout } = await check(url)
  expect(stdout).toMatch(
    /✗ the sha is a commit +"unknown"\n +→ Let the build tell its commit: a file REVISION/,
  )
  expect(stdout).toContain('Metrics\n  – not offered\nOpenMetrics\n  – not offered\n')
  expect(stdout).toMatch(/\n1 clause is breached: see ✗\. \d+ were not checked \(–\)\.\n$/)
  expect(code).toBe(3)
})

test('for programs: one JSON document, the same exit codes', async () => {
  const url = await brokenService((_, { path }) =>
    path === '/readyz' ? { status: 503, body: '{"ok":false}' } : {},
  )
  const { code, stdout } = await check(url, '--json', '--no-metrics')
  const report = JSON.parse(stdout)
  expect(Object.keys(report)).toEqual(['ok', 'url', 'clauses'])
  expect(report).toMatchObject({ ok: false, url })
  expect(report.clauses.find(({ id }: { id: string }) => id === 'readiness.status')).toEqual({
    id: 'readiness.status',
    title: '/readyz answers 200',
    ok: false,
    found: '503: not ready',
    remedy: expect.stringContaining('log'),
  })
  expect(code).toBe(3)
})

test('nobody answers: 4', async () => {
  const url = 'http://hello.localhost:1'
  const [{ code, stdout }, forPeople] = await Promise.all([check(url, '--json'), check(url)])
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, clauses: [{ id: 'reach.answers', ok: false }] })
  expect(forPeople.stdout).toContain('http://hello.localhost:1 does not answer.')
  expect([code, forPeople.code]).toEqual([4, 4])
})

test('a URL that cannot be one: 2', async () => {
  const { code, stderr } = await check('localhost:3000')
  expect(stderr).toContain('It must begin with http:// or https://.')
  expect(code).toBe(2)
})

test.each(['ftp://x', 'hello', 'http://user:pass@x/', 'http://x/?a=1', 'http://x/#a'])(
  '%s is refused',
  url => {
    const command = checkCommand()
      .exitOverride()
      .configureOutput({ writeErr() {} })
    expect(() => command.parse([url], { from: 'user' })).toThrow('It must be')
  },
)
