import { expect, test } from 'vitest'
import { noFacts, readFacts } from './systemd-facts.ts'
import { hasRun, systemdFault } from './systemd-fault.ts'
import { entriesOf } from './systemd-journal.ts'

const shown = `Id=qd-hello.service
LoadState=loaded
ActiveState=active
SubState=running
MainPID=101
InvocationID=a2710d
NRestarts=2
Result=success
ExecMainCode=0
ExecMainStatus=0
StateChangeTimestamp=Sun 2026-11-15 06:43:14.983971 UTC

Id=qd-hello.mail.service
LoadState=loaded
ActiveState=activating
SubState=auto-restart
MainPID=0
InvocationID=b2710d
ExecMainCode=2
ExecMainStatus=9
StateChangeTimestamp=
`

test('units are told apart, with how their last process ended', () => {
  const facts = readFacts(shown)
  expect(facts.get('qd-hello.service')).toMatchObject({
    pid: 101,
    restarts: 2,
    end: undefined,
    since: '2026-11-15T06:43:14.983Z',
  })
  expect(facts.get('qd-hello.mail.service')).toMatchObject({
    pid: null,
    end: { code: null, signal: 'SIGKILL' },
    since: null,
  })
})

const place = { file: '/nowhere/python', cwd: '/' }
const faultOf = (patch: object) =>
  systemdFault('hello/web', 'qd-hello.service', place, { ...noFacts, loadState: 'loaded', ...patch }).message

test('why a unit did not start is said in words', () => {
  const ended = (code: number) => ({ exitStatus: code, end: { code, signal: null } })
  expect(faultOf(ended(203))).toContain('the program /nowhere/python does not exist')
  expect(faultOf(ended(200))).toContain('its directory does not exist, or its user may not enter it')
  expect(faultOf({ result: 'start-limit-hit' })).toContain('systemd has given up on it (start limit)')
  expect(faultOf({ loadState: 'masked' })).toContain('"systemctl unmask qd-hello.service"')
  expect(faultOf({ loadState: 'bad-setting' })).toContain(
    'systemd does not take qd-hello.service (bad-setting)',
  )
})

test('a program that ended by itself has run; one that could not be begun has not', () => {
  const ended = (code: number) => ({ ...noFacts, invocation: 'a', end: { code, signal: null } })
  expect([ended(1), ended(203), noFacts].map(facts => hasRun(facts, noFacts))).toEqual([true, false, false])
  expect(hasRun(ended(1), ended(1))).toBe(false)
})

test('journal entries may be text, bytes, several, nothing, or cut off', () => {
  const text = [
    '{"__REALTIME_TIMESTAMP":"17","MESSAGE":"a\\nb"}',
    '{"__REALTIME_TIMESTAMP":"18","MESSAGE":[97,255,98]}',
    '{"__REALTIME_TIMESTAMP":"19","MESSAGE":["c",[100]]}',
    '{"__REALTIME_TIMESTAMP":"20","MESSAGE":null}',
    '{"__REALTIME_TIMESTAMP":"21","MESS',
  ].join('\n')
  expect(entriesOf(text)).toEqual([
    { us: 17, lines: ['a', 'b'] },
    { us: 18, lines: ['a\ufffdb'] },
    { us: 19, lines: ['c', 'd'] },
    { us: 20, lines: [''] },
  ])
})
