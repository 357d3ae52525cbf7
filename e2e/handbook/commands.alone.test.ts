/**
 * The commands of the manual do what it says: every block marked with `run`, page after page, in a real environment.
 * Alone, because its projects take the first ports that are free, as those of another environment here would.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { endServicesAfterwards } from '../deploy/placed.ts'
import { up } from '../environment.ts'

const root = join(import.meta.dirname, '../..')

/** In the order in which they follow from one another: the quick start makes what the others use. */
const pages = [
  'quick-start',
  'ci-workflows',
  'writing-a-service',
  'checking-a-service',
  'variables',
  'api',
  'as-a-file',
  'monitoring',
  'troubleshooting',
  'backup-and-upgrade',
  'writing-the-handbook',
]

interface Block {
  page: string
  code: string
  /** With which it is to end. */
  exit: number
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, 'handbook', `${page}.md`), 'utf8')
  return [...text.matchAll(/^```sh run(?: fails=(\d+))?\n([\s\S]*?)^```$/gm)].map(([, fails, code = '']) => ({
    page,
    code,
    exit: Number(fails ?? 0),
  }))
}

test('every page that marks commands is run here', () => {
  const marked = spawnSync('grep', ['-rl', '--include=*.md', '^```sh run', join(root, 'handbook')], {
    encoding: 'utf8',
  })
  const names = marked.stdout
    .trim()
    .split('\n')
    .map(file => file.replace(/^.*\/|\.md$/g, ''))
  expect(names.sort()).toEqual([...pages].sort())
})

test('the commands of the manual work', { timeout: 300_000 }, async () => {
  const place = temporaryDirectory()
  const home = join(place, '.quarterdeck')
  const bin = join(place, 'bin')
  mkdirSync(bin)
  symlinkSync(join(root, 'cli/bin/quarterdeck.mjs'), join(bin, 'qd'))
  endServicesAfterwards(home)
  const { port } = await up(home)
  for (const { page, code, exit } of pages.flatMap(blocksOf)) {
    const ran = spawnSync(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', code.replaceAll(':8300', `:${port}`)],
      {
        cwd: place,
        encoding: 'utf8',
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          HOME: place,
          QUARTERDECK_HOME: home,
          GIT_AUTHOR_NAME: 'Ana',
          GIT_AUTHOR_EMAIL: 'ana@example.com',
          GIT_COMMITTER_NAME: 'Ana',
          GIT_COMMITTER_EMAIL: 'ana@example.com',
        },
      },
    )
    expect([page, code, ran.status, exit === ran.status ? '' : `${ran.stdout}${ran.stderr}`]).toEqual([
      page,
      code,
      exit,
      '',
    ])
  }
})
