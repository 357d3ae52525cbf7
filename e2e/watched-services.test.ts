/** Services that are not deployed from here, and the environment’s own agent, as an operator and a probe meet them. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { qd, startAgent, up } from './environment.ts'

test('an agent is an API of the environment, and keeps every clause of the contract', async () => {
  const home = temporaryDirectory()
  const { call } = await up(home, '--no-agent')
  const { port, stop } = await startAgent(home)
  await until('it has found control', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok)
  const { code, stdout } = await qd(
    'check',
    `http://127.0.0.1:${port}`,
    '--metrics',
    '--name',
    'agent',
    '--json',
  )
  const report = JSON.parse(stdout) as { clauses: { ok: boolean | null }[] }
  expect([report.clauses.filter(({ ok }) => ok === false), code]).toEqual([[], 0])
  const listed = async () => (await call('GET', '/api/services/agent')).json
  await expect.poll(listed).toMatchObject({ id: 'agent', kind: 'own' })
  expect((await stop()).code).toBe(0)
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
})

test('an address is named, looked at, kept over a restart, written to a file and brought back from it', async () => {
  const home = temporaryDirectory()
  let ok = true
  const server = createServer((request, response) => {
    if (request.url === '/') return response.writeHead(302, { location: '/health' }).end()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const first = await up(home)
  const watch = (...args: string[]) => qd('watch', ...args, '--home', home)
  const added = await watch('add', `http://127.0.0.1:${port}/`, '--id', 'payments', '--expect', '/ok=true')
  expect([added.code, added.stderr]).toEqual([0, ''])
  expect(added.stdout).toMatch(
    /✓ payments is watched .*\n✓ Seen just now: it answers 200 in \d+ ms after 1 redirect\.\n/,
  )
  const { stdout: file } = await qd('export', '--home', home)
  await first.stop()

  ok = false
  await up(home)
  const seen = await watch('look', 'payments')
  expect([seen.code, seen.stdout]).toEqual([3, '✗ Seen just now: In its answer /ok is false, not true.\n'])
  expect(await watch('remove', 'payments', '--yes')).toMatchObject({ code: 0 })
  expect((await watch('show', 'payments')).code).toBe(3)
  const path = join(home, 'environment.yaml')
  writeFileSync(path, file)
  const applied = await qd('apply', path, '--yes', '--home', home)
  expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('✓ 1 added.')])
  expect((await watch('look', 'payments')).code).toBe(3)
})
