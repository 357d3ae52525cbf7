/** The hook of a sample’s repository: git runs it after a push, and it runs `on-push.ts` on this very Node. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { textOf, writeWhole } from '../install/whole-file.ts'
import { root } from '../root.ts'
import { remoteOf, type Sample } from './samples.ts'

/** Written anew when Node or the checkout have moved. */
export function writeHook(home: string, sample: Sample): void {
  const remote = remoteOf(home, sample)
  if (!existsSync(remote)) return
  const hooks = join(remote, 'hooks')
  const file = join(hooks, 'post-receive')
  const text = hookText([process.execPath, join(root, 'cli/src/demo/on-push.ts'), home, sample.runtime])
  mkdirSync(hooks, { recursive: true })
  if (textOf(file) === text) return
  writeWhole(file, text, { mode: 0o700, uid: process.getuid!(), gid: process.getgid!() })
}

export const hookText = (words: readonly string[]): string =>
  `#!/bin/sh\n# Quarterdeck’s demo: deploys what was pushed.\nexec ${words.map(quoted).join(' ')}\n`

/** One word to a shell, whatever is in it. */
const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`
