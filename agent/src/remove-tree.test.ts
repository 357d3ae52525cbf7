import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { removeTree } from './remove-tree.ts'

const nobody = 65_534

function readOnlyTree(root: string) {
  const tree = join(root, 'tree')
  const outside = join(root, 'outside')
  mkdirSync(join(tree, 'a', 'b'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(tree, 'a', 'b', 'file'), 'x')
  writeFileSync(join(outside, 'file'), 'x')
  symlinkSync(outside, join(tree, 'a', 'link'))
  return { tree, outside, directories: [join(tree, 'a', 'b'), join(tree, 'a'), tree] }
}

test('links are removed and not followed, and what is not there is no trouble', async () => {
  const root = temporaryDirectory()
  const { tree, outside } = readOnlyTree(root)
  await removeTree(tree)
  await removeTree(tree)
  expect(readdirSync(root)).toEqual(['outside'])
  expect(existsSync(join(outside, 'file'))).toBe(true)
})

test('read-only directories do not stop it', context => {
  const root = temporaryDirectory()
  const { tree, outside, directories } = readOnlyTree(root)
  for (const directory of directories) chmodSync(directory, 0o555)
  const isRoot = process.getuid?.() === 0
  // Nothing is read-only for root, so it is done as somebody else.
  if (isRoot)
    for (const path of [root, join(tree, 'a', 'b', 'file'), ...directories]) chownSync(path, nobody, nobody)
  const module = new URL('remove-tree.ts', import.meta.url).href
  const script = `import(${JSON.stringify(module)}).then(m => m.removeTree(${JSON.stringify(tree)}))`
  const options = { ...(isRoot ? { uid: nobody, gid: nobody } : {}), encoding: 'utf8' as const, cwd: '/' }
  const done = spawnSync(process.execPath, ['-e', script], options)
  if (/EACCES.*remove-tree\.ts|Cannot find module/.test(done.stderr))
    context.skip('another user cannot read the code')
  expect(done.stderr).toBe('')
  expect(readdirSync(root)).toEqual(['outside'])
  expect(existsSync(join(outside, 'file'))).toBe(true)
})
