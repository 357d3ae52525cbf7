import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { hookText } from './hook.ts'

test('whatever a path holds is one word of the hook, and nothing of it is run', () => {
  const words = [`it's "here"`, '$(touch /tmp/never) `id`', 'a\nb; exit 3', '*', '']
  const hook = join(temporaryDirectory(), 'post-receive')
  const print = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'
  writeFileSync(hook, hookText([process.execPath, '-e', print, '--', ...words]))
  chmodSync(hook, 0o700)
  expect(JSON.parse(execFileSync(hook, { encoding: 'utf8' }))).toEqual(words)
})
