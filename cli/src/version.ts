/** `qd version`: which build this is, and which one runs. */
import { readFileSync } from 'node:fs'
import { runningOn } from '@quarterdeck/control/client'
import { buildSha } from '@quarterdeck/kit'
import { Command } from 'commander'
import { askRunning } from './client.ts'
import { printJson } from './fail.ts'
import { type CommonOptions, withCommonOptions } from './options.ts'
import { root } from './root.ts'

export const versionCommand = (): Command =>
  withCommonOptions(
    new Command('version').description('tell which build this is, and which one runs'),
  ).action(version)

async function version({ home, json }: CommonOptions): Promise<void> {
  const { version: number } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string }
  const sha = buildSha(root)
  const running = await runningBuild(home)
  if (json) printJson({ name: 'quarterdeck', version: number, sha, node: process.version, running })
  else {
    process.stdout.write(`quarterdeck ${number} (${sha})\n`)
    process.stdout.write(
      running
        ? `running     ${running.sha} on port ${running.port}, pid ${running.pid}\n`
        : 'running     nothing on this home\n',
    )
  }
}

async function runningBuild(home: string): Promise<{ pid: number; port: number; sha: string } | null> {
  const running = runningOn(home)
  if (!running) return null
  try {
    const { body } = await askRunning(running, 'admin', '/version')
    return { pid: running.pid, port: running.port, sha: (body as { sha: string }).sha }
  } catch {
    return null
  }
}
