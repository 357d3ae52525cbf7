/** Who writes pages checks them, and writes the handbook as files. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { handbookIndex } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { qd } from '../environment.ts'

test('the manual has nothing broken; pages that have are told by file and line', async () => {
  const home = temporaryDirectory()
  const good = await qd('handbook', 'check', '--home', home)
  expect([good.code, good.stdout]).toEqual([0, expect.stringMatching(/^✓ \d+ pages, nothing broken\.\n$/)])

  const folder = join(home, 'team')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'a.md'),
    '# A\n\n[there](/deploying#going-back) [gone](gone.md)\n\n## X {#x}\n\n## Y {#x}\n',
  )
  writeFileSync(join(folder, 'b.md'), '---\nordr: 1\n---\n')
  for (const name of ['C.md', 'c.md']) writeFileSync(join(folder, name), '# C')
  const { code, stdout } = await qd('handbook', 'check', folder, '--home', home, '--json')
  expect(code).toBe(3)
  const { ok, problems } = JSON.parse(stdout) as {
    ok: boolean
    problems: { file: string; line: number; message: string }[]
  }
  expect(ok).toBe(false)
  const told = problems.map(
    ({ file, line, message }) => `${file.slice(folder.length + 1)}:${line}: ${message}`,
  )
  expect(told.sort()).toEqual([
    'a.md:3: the link gone.md leads nowhere',
    'a.md:7: two headings have the id x',
    'b.md:2: front matter: ordr: Unrecognized key: "ordr"',
    `c.md:null: has the id c, which ${folder}/C.md has already: left out`,
  ])
})

test('the handbook as files: the same twice, and never over what is there', async () => {
  const home = temporaryDirectory()
  const [one, two] = [join(home, 'one'), join(home, 'two')]
  for (const target of [one, two])
    expect((await qd('handbook', 'build', target, '--home', home)).code).toBe(0)
  const text = readFileSync(join(one, 'index.json'), 'utf8')
  expect(handbookIndex.parse(JSON.parse(text)).pages.length).toBeGreaterThan(80)
  expect(readFileSync(join(two, 'index.json'), 'utf8')).toBe(text)
  expect(readdirSync(one)).toEqual(
    expect.arrayContaining(['index.html', 'deploying', 'deploying.md', 'llms.txt', 'feed.atom', 'assets']),
  )
  expect((await qd('handbook', 'build', one, '--home', home)).code).toBe(3)
})
