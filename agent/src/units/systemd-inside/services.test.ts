/** What services may and may not do in a unit by systemd, and that no connection is refused. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { restartOptions, sampleUnit, startsOf, unitOf, untilState } from '../under-test.ts'
import type { UnitEngine } from '../unit-engine.ts'
import { newHome, onlyInside, opened, unitOfProject } from './under-test.ts'

const lastLines = async (agent: UnitEngine) => (await agent.log('hello', 'web', null, 100)).lines

/** One line: a unit file has no room for more. */
const nodeServer = [
  "const server = require('node:http').createServer((request, answer) => answer.end(String(process.pid)))",
  "require('node:os').networkInterfaces()",
  "require('node:os').cpus()",
  'server.listen({ fd: 3 })',
  "process.on('SIGTERM', () => server.close(() => process.exit(0)))",
].join('; ')

onlyInside('services in units by systemd', () => {
  test('a hostile service writes nothing outside its data, and sees no other project and nothing of the agent', async () => {
    const home = newHome()
    const agent = await opened(home, { hidden: ['/srv/database'] })
    await agent.restart(
      unitOfProject(home, 'other', { script: 'echo s3cret > secret; exec sleep 1000' }),
      restartOptions,
    )
    mkdirSync('/srv/database', { recursive: true })
    writeFileSync('/srv/database/rows', 'rows', { mode: 0o644 })
    mkdirSync(join(home, 'projects/hello/releases'), { recursive: true })
    mkdirSync(join(home, 'projects/hello/releases/open'), { mode: 0o777 })
    const tries = [
      'id -un',
      'echo mine > own && echo wrote data',
      `touch ${home}/projects/hello/releases/open/x && echo BAD release`,
      `touch ${home}/x ${home}/projects/x && echo BAD home`,
      'touch /etc/x /var/tmp/../x && echo BAD system',
      `cat ${home}/projects/other/data/secret && echo BAD other`,
      `ls ${home}/agent && echo BAD agent`,
      `ls ${home}/projects`,
      'cat /srv/database/rows && echo BAD database',
      'ls /root && echo BAD root',
      'kill -0 1 && echo BAD kill',
      'mount -t tmpfs tmpfs /mnt && echo BAD mount',
      'unshare --user true && echo BAD namespace',
      'grep CapEff /proc/self/status',
    ]
    const script = `{ ${tries.join('; ')}; } 2>/dev/null; echo over; exec sleep 1000`
    await agent.restart(sampleUnit(home, { script }), restartOptions)
    await until('it has tried all', async () => (await lastLines(agent)).includes('over'))
    expect(await lastLines(agent)).toEqual([
      'qd-hello',
      'wrote data',
      'hello',
      'CapEff:\t0000000000000000',
      'over',
    ])
    expect(statSync(join(home, 'projects/hello/data')).mode & 0o777).toBe(0o700)
  })

  test('through a passed socket 200 requests during three restarts are all answered', async () => {
    const home = newHome()
    const agent = await opened(home)
    const port = await freePort()
    const sample = sampleUnit(home, { script: '' })
    const unit = {
      ...sample,
      process: { ...sample.process, port, socket: true },
      program: { ...sample.program, file: nodeOutsideOfTmp(), args: ['-e', nodeServer] },
    }
    await agent.restart(unit, restartOptions)
    agent.settle('hello', 'web')
    const pids = new Set<string>()
    const failures: unknown[] = []
    let isOver = false
    let asked = 0
    const client = async () => {
      while (!isOver || asked < 200) {
        asked += 1
        await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })
          .then(async answer => pids.add(await answer.text()))
          .catch(error => failures.push(error.cause ?? error))
      }
    }
    const clients = [client(), client(), client(), client()]
    for (const attempt of ['second', 'third', 'fourth']) {
      await agent.restart({ ...unit, attempt }, restartOptions)
      agent.settle('hello', 'web')
      const { pid } = unitOf(agent)
      await until('the new one answers', () => pids.has(String(pid)))
    }
    isOver = true
    await Promise.all(clients)
    expect(failures).toEqual([])
    expect(asked).toBeGreaterThanOrEqual(200)
    expect(pids.size).toBe(4)
    await agent.stop('hello', 'web', { limitMs: 1000 })
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
    await agent.restart(
      { ...unit, attempt: 'last', process: { ...unit.process, socket: false } },
      restartOptions,
    )
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  })

  test('a port below 1024 can be listened on, and an argument arrives as it was given', async () => {
    const home = newHome()
    const agent = await opened(home)
    const sample = sampleUnit(home, { script: '' })
    const code = [
      'import http.server as h, json, socketserver as s, sys',
      'print(json.dumps(sys.argv[1:]), flush=True)',
      's.TCPServer(("0.0.0.0", 83), h.SimpleHTTPRequestHandler).serve_forever()',
    ].join('; ')
    const args = ['a b', '%n', '$HOME', '$' + '{HOME}', '"\'', '\\x41\\', ';', '', '#', 'ü\t', '-']
    const program = { ...sample.program, file: 'python3', args: ['-c', code, ...args] }
    await agent.restart({ ...sample, process: { ...sample.process, port: 83 }, program }, restartOptions)
    const ask = () => fetch('http://127.0.0.1:83/')
    await until('it answers', () =>
      ask()
        .then(({ ok }) => ok)
        .catch(() => false),
    )
    expect(JSON.parse((await lastLines(agent))[0]!)).toEqual(args)
  })

  test('before every start root aligns, and what it writes into the environment is the unit’s', async () => {
    const home = newHome()
    const agent = await opened(home)
    const variables = join(home, 'agent/variables')
    const align = {
      file: '/bin/sh',
      args: ['-c', `echo "SHA=$(cat ${home}/projects/hello/sha)$LD_PRELOAD" > ${variables}`],
      cwd: '/',
      env: {},
    }
    const sample = sampleUnit(home, { script: 'echo $SHA $MODE; exec sleep 1000' })
    // Whoever sets the project's variables must not reach root by them.
    const env = { ...sample.program.env, BASH_ENV: '/bad', ENV: '/bad', LD_PRELOAD: '/bad.so' }
    const ownUnit = { file: 'deploy/hello.service', text: '[Service]\nEnvironment=MODE=fast\nNice=5\n' }
    const unit = {
      ...sample,
      program: { ...sample.program, env },
      align,
      ownUnit,
      environmentFiles: [variables],
    }
    const file = join(home, 'projects/hello/sha')
    writeFileSync(file, 'aaa')
    await agent.restart(unit, restartOptions)
    agent.settle('hello', 'web')
    writeFileSync(file, 'bbb')
    execFileSync('systemctl', ['restart', 'qd-hello.service'])
    await until('the second has said it', async () => (await lastLines(agent)).includes('bbb fast'))
    const said = (await lastLines(agent)).filter(line => line.endsWith(' fast'))
    expect(said).toEqual(['aaa fast', 'bbb fast'])
    expect(statSync(variables).uid).toBe(0)
  })

  test('many units of a new project can be started at once', async () => {
    const home = newHome()
    const agent = await opened(home)
    const names = ['web', 'mail', 'queue', 'search']
    const starts = names.map(name => unitOfProject(home, 'many', { name, script: 'exec sleep 1000' }))
    await Promise.all(starts.map(start => agent.restart(start, restartOptions)))
    expect(agent.list('many').map(({ state }) => state)).toEqual(names.map(() => 'running'))
  })

  test('a timer waits until it is settled, runs, and waits again', async () => {
    const home = newHome()
    const agent = await opened(home)
    const sample = sampleUnit(home, { script: 'sleep 0.3' })
    const unit = { ...sample, process: { ...sample.process, timer: { every_s: 1 } } }
    await agent.restart(unit, restartOptions)
    expect(unitOf(agent)).toMatchObject({ state: 'waiting', pid: null })
    expect(startsOf(home)).toEqual([])
    agent.settle('hello', 'web')
    await until('it has run twice', () => startsOf(home).length >= 2)
    await untilState(agent, 'waiting')
    await agent.stop('hello', 'web', { limitMs: 1000 })
    expect(unitOf(agent).state).toBe('stopped')
  })

  test('hostile bytes in the log come out harmless, and a place in it goes on without gap or double', async () => {
    const home = newHome()
    const agent = await opened(home)
    const script = String.raw`printf '\033]0;x\007a\377b\r\npostgres://u:geheim@h/\n'; seq 1 500; exec sleep 1000`
    await agent.restart(sampleUnit(home, { script }), restartOptions)
    await until('all is there', async () => (await lastLines(agent)).includes('500'))
    const all: string[] = []
    let from = 0
    for (;;) {
      const { lines, next } = await agent.log('hello', 'web', from, 7)
      if (lines.length === 0) break
      all.push(...lines)
      from = next
    }
    expect(all.slice(0, 2)).toEqual(['a\ufffdb', 'postgres://u:***@h/'])
    expect(all.slice(2)).toEqual(Array.from({ length: 500 }, (_, index) => String(index + 1)))
  })
})

/** A unit has a /tmp of its own, and the checkout may lie in the machine's. */
function nodeOutsideOfTmp(): string {
  const file = '/opt/node-under-test'
  copyFileSync(process.execPath, file)
  return file
}
