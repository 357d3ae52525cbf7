import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProjectProcess, placedProject, sealOf } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { layoutOf } from '../layout.ts'
import { defaultUnitLimits, unitFiles } from './systemd-unit-files.ts'
import type { UnitStart } from './unit-engine.ts'

const home = '/var/lib/quarterdeck'
const layout = layoutOf(home, 'hello')
const options = { limits: defaultUnitLimits, stopLimitMs: 10_000, version: 252, hidden: ['/etc/quarterdeck'] }

function startOf(process: Partial<ProjectProcess>, more: Partial<UnitStart> = {}): UnitStart {
  const whole = { name: 'web', start: ['sh'], port: null, timer: null, socket: false, ...process }
  const project = placedProject.parse({
    name: 'hello',
    git_url: '/srv/hello.git',
    branch: 'main',
    runtime: 'python',
    interpreter: null,
    processes: [whole],
    before_restart: null,
    linked_paths: [],
    health: { timeout_s: 60 },
    limits: {},
  })
  const program = { file: '/bin/sh', args: ['-c', 'echo "$HOME" 100%'], cwd: '/tmp', env: { PORT: '8101' } }
  return { layout, project, process: whole, program, attempt: 'first', ...more }
}

const samples: Record<string, UnitStart> = {
  web: startOf({ port: 8101 }),
  'web-port-80': startOf({ port: 80 }),
  'web-socket': startOf({ port: 8101, socket: true }),
  'web-whole': startOf(
    { port: 8101 },
    {
      align: { file: '/bin/true', args: ['align', 'hello'], cwd: '/', env: {} },
      alignUnless: `${home}/agent/open/hello`,
      environmentFiles: ['/etc/quarterdeck/secrets/hello'],
      ownUnit: {
        file: 'deploy/web.service',
        text: '[Service]\nExecStart=/bin/sh -c "exec sleep $PORT"\nEnvironment=MODE=fast\nMemoryMax=256M\n',
      },
    },
  ),
  worker: startOf({ name: 'mail' }),
  'timer-every': startOf({ name: 'clean-up', timer: { every_s: 3600 } }),
  'timer-at': startOf({ name: 'report', timer: { at: '03:30' } }),
}

function missing(program: string): string | undefined {
  return spawnSync(program, ['--version']).error ? `${program} is not installed (Debian: systemd)` : undefined
}

for (const [name, start] of Object.entries(samples)) {
  const files = unitFiles(start, options)

  test(`${name}: the unit files are as in golden/`, async () => {
    for (const [file, text] of Object.entries(files)) {
      expect(sealOf(text)).toBe('whole')
      await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'golden', name, file))
    }
  })

  test(`${name}: systemd finds nothing wrong with them, and rates the service at most 3.0`, context => {
    const reason = missing('systemd-analyze')
    if (reason) context.skip(reason)
    const directory = join(temporaryDirectory(), 'units')
    mkdirSync(directory)
    const paths = Object.entries(files).map(([file, text]) => {
      writeFileSync(join(directory, file), text)
      return join(directory, file)
    })
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${directory}:/lib/systemd/system` }
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8', env })
    expect({ code: verified.status, said: verified.stderr }).toEqual({ code: 0, said: '' })
    const rated = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--threshold=30', '--no-pager', paths[0]!],
      { encoding: 'utf8', env },
    )
    expect(rated.status, rated.stdout).toBe(0)
  })
}

test('only a systemd that knows it is told to slow a crash loop down', () => {
  const [older = '', newer = ''] = [253, 254].map(
    version => unitFiles(samples.web!, { ...options, version })['qd-hello.service'],
  )
  expect(older).not.toContain('RestartSteps')
  expect(newer).toContain('RestartSteps=5\nRestartMaxDelaySec=30\n')
})

test('a line break in an argument or a variable is refused, and its value not told', () => {
  const program = { file: '/bin/sh', args: ['a\nExecStartPre=+/bin/evil'], cwd: '/', env: {} }
  expect(() => unitFiles(startOf({}, { program }), options)).toThrow(
    'an argument of the program holds a line',
  )
  const env = { TOKEN: 'geheim\nUser=root' }
  expect(() => unitFiles(startOf({}, { program: { ...program, args: [], env } }), options)).toThrow(
    /^the variable TOKEN holds a line break/,
  )
})
