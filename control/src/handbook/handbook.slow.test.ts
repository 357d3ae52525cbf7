import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@quarterdeck/kit'
import { memoryLog, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Folder } from './folder.ts'
import { Handbook } from './handbook.ts'
import { folderOf } from './under-test.ts'

function handbookOf(folder: string) {
  const log = memoryLog()
  const handbook = new Handbook({
    about: {
      title: 'T',
      description: null,
      language: 'en',
      url: 'http://docs.test',
      homeUrl: 'http://test',
      sha: 'x',
    },
    feeds: [new Folder({ folder, prefix: '' })],
    cache: temporaryDirectory(),
    clock: systemClock,
    log: log.log,
  })
  onTestFinished(() => handbook.close())
  const titles = async () => (await handbook.site()).pages.map(({ rendered }) => rendered.title)
  return { handbook, log, titles }
}

test('the site follows its sources, whole at every moment, and reports what is broken once', async () => {
  const folder = folderOf({ 'index.md': '# Home', 'a.md': '# A\n\n[gone](gone.md)' })
  const { titles, log } = handbookOf(folder)
  expect(await titles()).toEqual(['Home', 'A'])
  await until('the link is reported', () =>
    log.lines.some(line => JSON.stringify(line).includes('gone.md leads nowhere')),
  )
  writeFileSync(join(folder, 'a.md'), '---\norder: x\n---\n# Bad')
  await until('the page is reported', () =>
    log.lines.some(line => JSON.stringify(line).includes('front matter: order')),
  )
  expect(await titles()).toEqual(['Home', 'A'])
  writeFileSync(join(folder, 'a.md'), '# B')
  writeFileSync(join(folder, 'c.md'), '# C')
  await until('both are there', async () => String(await titles()) === 'Home,B,C')
  rmSync(join(folder, 'c.md'))
  await until('one is gone', async () => String(await titles()) === 'Home,B')
})

test('ten thousand pages are one site, and one that changes is there soon', async () => {
  const texts: Record<string, string> = {}
  for (let i = 0; i < 10_000; i++) texts[`p${i % 100}/n${i}.md`] = `# Page ${i}\n\n## One\n\nText of ${i}.\n`
  const folder = folderOf(texts)
  const { handbook } = handbookOf(folder)
  expect((await handbook.site()).pages).toHaveLength(10_000)
  writeFileSync(join(folder, 'p7/n7.md'), '# Changed')
  await until(
    'it is there',
    async () => (await handbook.site()).byPath.get('/p7/n7')?.rendered.title === 'Changed',
  )
})
