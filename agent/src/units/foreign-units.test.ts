import { expect, test } from 'vitest'
import type { Program } from '../runner.ts'
import { foreignUnits } from './foreign-units.ts'
import { SystemdCalls } from './systemd-calls.ts'

const listed = [
  'hello.service            loaded active running Hello',
  'qd-shop.service          loaded active running Quarterdeck project',
  'cron.service             loaded active running Daily jobs',
].join('\n')

const shown = `Id=hello.service
Description=Hello
FragmentPath=/etc/systemd/system/hello.service
LoadState=loaded
ActiveState=active
Type=simple
User=hello
DynamicUser=no
WorkingDirectory=!/srv/hello
ExecStart={ path=/srv/hello/venv/bin/python ; argv[]=/srv/hello/venv/bin/python -m app ; ignore_errors=no ; start_time=[n/a] }
MainPID=42

Id=cron.service
Description=Daily jobs
FragmentPath=/usr/lib/systemd/system/cron.service
LoadState=loaded
ActiveState=active
Type=simple
User=
MainPID=0
`

test('what an operator has made is told, and neither what packages bring nor what is ours', async () => {
  const asked: string[] = []
  const run = async ({ args }: Program) => {
    asked.push(args.join(' '))
    const stdout = args.includes('list-units') ? listed : shown
    return { code: 0, signal: null, stdout, stderr: '', timedOut: false, cancelled: false }
  }
  const calls = new SystemdCalls(run as never, 'test')
  expect(await foreignUnits(calls, service => (service === 'hello.service' ? 'hi' : null))).toEqual([
    {
      name: 'hello.service',
      description: 'Hello',
      state: 'active',
      type: 'simple',
      user: 'hello',
      hasDynamicUser: false,
      directory: '/srv/hello',
      start: ['/srv/hello/venv/bin/python', '-m', 'app'],
      pid: 42,
      adoptedBy: 'hi',
    },
  ])
  expect(asked[1]).toMatch(/ -- hello\.service cron\.service$/)
})
