import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { docsIn } from './release-docs.ts'

test('Markdown of a release is read, and neither links nor other files', () => {
  const release = temporaryDirectory()
  const docs = join(release, 'docs')
  expect(docsIn(docs)).toEqual({ files: [], left_out: [] })
  mkdirSync(join(docs, 'deep/.hidden'), { recursive: true })
  writeFileSync(join(docs, 'deep/a.md'), 'A')
  writeFileSync(join(docs, 'deep/.hidden/b.md'), 'B')
  writeFileSync(join(docs, 'c.txt'), 'C')
  writeFileSync(join(docs, 'bin.md'), Buffer.from([0]))
  writeFileSync(join(docs, 'big.md'), Buffer.alloc(600 * 1024, 'x'))
  writeFileSync(join(docs, 'latin.md'), Buffer.from([0xe9, 0x20]))
  symlinkSync('/etc/passwd', join(docs, 'passwd.md'))
  symlinkSync('/etc', join(docs, 'etc'))
  expect(docsIn(docs)).toEqual({
    files: [{ path: 'deep/a.md', text: 'A' }],
    left_out: [
      { path: 'big.md', reason: 'is larger than 512 KiB' },
      { path: 'bin.md', reason: 'is binary, not text' },
      { path: 'etc', reason: 'is a symbolic link' },
      { path: 'latin.md', reason: 'is not UTF-8' },
      { path: 'passwd.md', reason: 'is a symbolic link' },
    ],
  })
})

test('docs that is itself a link leads nowhere, and a release has its limits', () => {
  const release = temporaryDirectory()
  symlinkSync('/etc', join(release, 'docs'))
  expect(docsIn(join(release, 'docs'))).toEqual({ files: [], left_out: [] })
  const many = join(release, 'many')
  mkdirSync(many)
  for (let i = 0; i < 502; i++) writeFileSync(join(many, `${String(i).padStart(3, '0')}.md`), 'x')
  const { files, left_out } = docsIn(many)
  expect([files.length, left_out.length]).toEqual([500, 2])
})
