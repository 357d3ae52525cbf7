/** Units by systemd, on machines with a real one: what cannot be tried on the machine that runs the tests. */
import { join } from 'node:path'
import { Machine, machineUnderTest, until } from '@quarterdeck/testing'
import { beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const inside = join(root, 'agent/src/units/systemd-inside')
const home = '/var/lib/quarterdeck'
/** Many tests in one: 35 s on a quiet machine. */
const limitMs = 300_000

beforeEach(context => {
  const missing = Machine.missing()
  if (missing) context.skip(missing)
})

interface Found {
  units: { name: string; state: string; pid: number | null; settled: boolean }[]
  lines: string[]
}

async function agentIn(machine: Machine, command: 'deploy' | 'look'): Promise<Found> {
  return JSON.parse(await machine.ok(process.execPath, join(inside, 'agent-script.ts'), home, command))
}

const statesOf = ({ units }: Found) => Object.fromEntries(units.map(({ name, state }) => [name, state]))

/** The checkout is read-only in there: vitest must not write its configuration beside it. */
test('the engine passes the suite of its door, and its own tests, inside a machine', {
  timeout: limitMs,
}, async () => {
  const machine = await machineUnderTest()
  const options = ['--configLoader=native', '--project=fast', '--no-file-parallelism', '--no-color']
  const { code, stdout, stderr } = await machine.run(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...options, '--reporter=verbose', inside],
    { cwd: root, env: { QUARTERDECK_TEST_MACHINE: '1' }, limitMs: limitMs - 10_000 },
  )
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).not.toContain('skipped')
})

for (const [how, end] of [
  ['a power cut', (machine: Machine) => machine.powerCut()],
  ['a shutdown', (machine: Machine) => machine.shutDown()],
] as const) {
  test(`after ${how} units come up with the machine, without an agent, and their logs are still there`, async () => {
    const machine = await machineUnderTest()
    // As on a server: without it the journal is only in memory.
    await machine.ok('mkdir', '-p', '/var/log/journal', '/var/lib/quarterdeck')
    await machine.ok('systemctl', 'restart', 'systemd-journald')
    const before = await agentIn(machine, 'deploy')
    expect(statesOf(before)).toEqual({ web: 'running', down: 'stopped', unproven: 'running' })
    await end(machine)
    await machine.reboot()
    const active = async () => (await machine.run('systemctl', ['is-active', 'qd-hello'])).stdout.trim()
    await until('systemd has started it', async () => (await active()) === 'active')
    const after = await agentIn(machine, 'look')
    expect(statesOf(after)).toEqual({ web: 'running', down: 'stopped', unproven: 'running' })
    expect(after.lines).toHaveLength(2)
    expect(after.lines[0]).toBe(before.lines[0])
  })
}
