/** What operators, other programs and bad services do to units, on a machine with a real systemd. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { memoryLog, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { isThere, restartOptions, sampleUnit, startsOf, unitOf, untilState } from '../under-test.ts'
import { newHome, onlyInside, opened, unitOfProject } from './under-test.ts'

const forever = 'exec sleep 1000'
const directory = '/etc/systemd/system'
const unitFile = join(directory, 'qd-hello.service')

const systemctl = (...args: string[]) => execFileSync('systemctl', args, { encoding: 'utf8' }).trim()

const stateOf = (unit: string) => systemctl('show', '--property=ActiveState', '--value', unit)

function forget(path: string): void {
  onTestFinished(() => {
    rmSync(path, { force: true })
    systemctl('daemon-reload')
  })
}

onlyInside('faults of units by systemd', () => {
  test('a unit that ends again and again is given up on, told as failed, and tried again later', async () => {
    const home = newHome()
    const startLimit = { intervalS: 100, burst: 3 }
    const agent = await opened(home, { limits: { startLimit }, reviveMs: 1500 })
    await agent.restart(
      sampleUnit(home, { script: '[ -e good ] && exec sleep 1000; exit 1' }),
      restartOptions,
    )
    agent.settle('hello', 'web')
    await until('systemd has given up', () => stateOf('qd-hello.service') === 'failed')
    await untilState(agent, 'failed')
    expect(startsOf(home).length).toBeLessThanOrEqual(4)
    writeFileSync(join(home, 'projects/hello/data/good'), '')
    await untilState(agent, 'running')
  })

  test('a masked unit is not started, and the fault says how to unmask it', async () => {
    const home = newHome()
    const agent = await opened(home)
    symlinkSync('/dev/null', unitFile)
    forget(unitFile)
    await expect(agent.restart(sampleUnit(home, { script: forever }), restartOptions)).rejects.toMatchObject({
      code: 'restart_failed',
      message: 'qd-hello.service is masked; "systemctl unmask qd-hello.service" allows it again.',
    })
    systemctl('unmask', 'qd-hello.service')
    await agent.restart(sampleUnit(home, { script: forever }), restartOptions)
    expect(unitOf(agent).state).toBe('running')
  })

  test('a unit file of somebody else’s is never written over', async () => {
    const home = newHome()
    const agent = await opened(home)
    const text = '[Service]\nExecStart=/bin/sleep 1\n'
    writeFileSync(unitFile, text)
    forget(unitFile)
    await expect(agent.restart(sampleUnit(home, { script: forever }), restartOptions)).rejects.toThrow(
      `${unitFile} is there and was not made by Quarterdeck`,
    )
    expect(readFileSync(unitFile, 'utf8')).toBe(text)
  })

  test('a unit file that was edited by hand is kept beside and replaced', async () => {
    const home = newHome()
    const { log, text } = memoryLog()
    const agent = await opened(home, { log })
    await agent.restart(sampleUnit(home, { script: forever }), restartOptions)
    appendFileSync(unitFile, '# by hand\n')
    await agent.restart(sampleUnit(home, { attempt: 'second', script: forever }), restartOptions)
    const kept = readdirSync(directory).filter(name => name.startsWith('qd-hello.service.edited-'))
    expect(kept).toHaveLength(1)
    expect(readFileSync(join(directory, kept[0]!), 'utf8')).toContain('# by hand')
    rmSync(join(directory, kept[0]!))
    expect(readFileSync(unitFile, 'utf8')).not.toContain('# by hand')
    expect(text()).toContain('edited by hand')
    expect(systemctl('show', '-p', 'NeedDaemonReload', '--value', 'qd-hello.service')).toBe('no')
  })

  test('a unit file that is gone is written anew, by a restart and by a start', async () => {
    const home = newHome()
    const agent = await opened(home)
    await agent.restart(sampleUnit(home, { script: forever }), restartOptions)
    rmSync(unitFile)
    await agent.restart(sampleUnit(home, { attempt: 'second', script: forever }), restartOptions)
    await agent.stop('hello', 'web', { limitMs: 1000 })
    rmSync(unitFile)
    systemctl('daemon-reload')
    await agent.start('hello', 'web')
    expect(unitOf(agent).state).toBe('running')
    expect(existsSync(unitFile)).toBe(true)
  })

  test('a user of this name that is somebody else’s fails the restart, and one of ours is used again', async () => {
    const home = newHome()
    const agent = await opened(home)
    execFileSync('useradd', ['--shell', '/bin/bash', 'qd-taken'])
    const start = unitOfProject(home, 'taken', { script: forever })
    await expect(agent.restart(start, restartOptions)).rejects.toThrow(
      /^The user qd-taken is there and was not made by Quarterdeck/,
    )
    expect(existsSync(join(directory, 'qd-taken.service'))).toBe(false)
    execFileSync('userdel', ['qd-taken'])
    await agent.restart(start, restartOptions)
    await agent.remove('taken')
    await agent.restart({ ...start, attempt: 'second' }, restartOptions)
    expect(agent.list('taken')[0]?.state).toBe('running')
  })

  test('killed after the start and before it was written down, the next agent knows that it was begun', async () => {
    const home = newHome()
    const agent = await opened(home)
    await agent.restart(sampleUnit(home, { script: forever }), restartOptions)
    const before = unitOf(agent)
    agent.close()
    const file = join(home, 'agent/systemd-units/hello.web.json')
    const record = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...record, started: false, invocation: '' }))
    const next = await opened(home)
    await next.restart(sampleUnit(home, { script: forever }), restartOptions)
    expect(unitOf(next)).toMatchObject({ state: 'running', instance: before.instance })
    process.kill(before.pid!, 'SIGKILL')
    await untilState(next, 'failed')
    await next.restart(sampleUnit(home, { script: forever }), restartOptions)
    expect(unitOf(next).state).toBe('failed')
    expect(startsOf(home)).toEqual(['first'])
  })

  test('one that is not proven and died while no agent was there is not tried again', async () => {
    const home = newHome()
    const agent = await opened(home)
    await agent.restart(sampleUnit(home, { script: forever }), restartOptions)
    const { pid } = unitOf(agent)
    agent.close()
    process.kill(pid!, 'SIGKILL')
    await until('systemd has started another', () => startsOf(home).length === 2)
    const next = await opened(home)
    await until('it is held', () => systemctl('show', '-p', 'MainPID', '--value', 'qd-hello.service') === '0')
    await untilState(next, 'failed')
    await next.restart(sampleUnit(home, { script: forever }), restartOptions)
    expect(unitOf(next).state).toBe('failed')
  })

  test('killed in a stop, the next agent goes on with it', async () => {
    const home = newHome()
    const agent = await opened(home)
    await agent.restart(sampleUnit(home, { script: forever }), restartOptions)
    const { pid } = unitOf(agent)
    agent.close()
    const file = join(home, 'agent/systemd-units/hello.web.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), wanted: 'down' }))
    expect(unitOf(await opened(home)).state).toBe('stopped')
    expect(isThere(pid)).toBe(false)
  })
})
