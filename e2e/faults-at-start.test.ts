/** What can go wrong at the start: one sentence that names the thing and the way out, an exit code, and nothing lost. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { qd, up } from './environment.ts'

/** Tries to start, and returns what was said. */
async function refusal(home: string, ...args: string[]): Promise<{ code: number | null; said: string }> {
  const { code, stderr, stdout } = await qd('up', '--home', home, '--port', '0', ...args)
  expect(stdout).toBe('')
  expect(stderr).not.toMatch(/\.ts:\d+|node:internal/)
  const lines = stderr.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  return { code, said: lines.map(line => line.trim()).join(' ') }
}

test('an unknown option in the configuration', async () => {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'quarterdeck.yaml'), '# mine\nlisten:\n  prot: 80\n')
  const { code, said } = await refusal(home)
  expect([code, said]).toEqual([
    3,
    `✗ ${home}/quarterdeck.yaml: listen.prot (line 3) is not an option (did you mean port?). Correct what the message names. Every option has a default; an empty file is valid.`,
  ])
})

test('a port that is in use', async () => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }
  const home = temporaryDirectory()
  const { code, said } = await refusal(home, '--port', String(port))
  expect([code, said]).toEqual([
    3,
    `✗ Port ${port} on 0.0.0.0 cannot be used: another program listens on it. Stop the other program, or choose another port with --port.`,
  ])
  expect(existsSync(join(home, 'database.sqlite'))).toBe(false)
})

test('a second process on one home', async () => {
  const first = await up(temporaryDirectory())
  const { code, said } = await refusal(first.home)
  expect(code).toBe(3)
  expect(said).toContain(
    `The home ${first.home} is in use by another process (pid ${first.process.pid}, port ${first.port}).`,
  )
  expect((await first.ask('admin.localhost', '/readyz')).status).toBe(200)
})

test('a home that cannot be written', async () => {
  const { code, said } = await refusal('/sys/quarterdeck')
  expect(code).toBe(3)
  expect(said).toMatch(/^✗ The home \/sys\/quarterdeck cannot be used: .*--home\.$/)
})

test('a database that is damaged, and is left as it was', async () => {
  const home = temporaryDirectory()
  const file = join(home, 'database.sqlite')
  writeFileSync(file, 'no database at all '.repeat(1000))
  const { code, said } = await refusal(home)
  expect(code).toBe(4)
  expect(said).toContain(
    `The database ${file} is not a database. Keep the file aside and restore the newest backup`,
  )
  expect(readFileSync(file, 'utf8')).toMatch(/^no database at all/)
})

test('a database that a later version has changed', async () => {
  const home = temporaryDirectory()
  await (await up(home)).stop()
  const database = new DatabaseSync(join(home, 'database.sqlite'))
  database.exec("INSERT INTO migration VALUES (9000, 'from-the-future', 9000, '2030-01-01T00:00:00Z')")
  database.close()
  const { code, said } = await refusal(home)
  expect(code).toBe(3)
  expect(said).toContain('migration 9000, from-the-future')
  expect(said).toContain('Run the later version again')
})

test('PostgreSQL that does not answer', async () => {
  const home = temporaryDirectory()
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, 'quarterdeck.yaml'),
    'database: {engine: postgres, url: "postgresql://qd:geheim@127.0.0.1:1/qd"}\n',
  )
  const { code, said } = await refusal(home)
  expect([code, said]).toEqual([
    4,
    '✗ PostgreSQL at 127.0.0.1:1/qd does not answer (ECONNREFUSED). See that the database runs and that `database` in quarterdeck.yaml is right, then try again.',
  ])
})

test('a command line that is wrong', async () => {
  const { code, stderr } = await qd('up', '--prot', '80')
  expect(code).toBe(2)
  expect(stderr).toContain("unknown option '--prot'")
})

test('with --json the error is a document', async () => {
  const { code, stdout } = await qd('up', '--home', '/sys/quarterdeck', '--json')
  expect(code).toBe(3)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'home_unusable', remedy: expect.any(String) } })
})
