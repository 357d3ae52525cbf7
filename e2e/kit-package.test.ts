/** A developer takes the kit into a plain JavaScript project, from the tarball. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** What is on a user's disk after `npm install` of the tarball: the kit with what it depends on, and a framework. */
function installedProject(): string {
  const directory = temporaryDirectory()
  const built = join(directory, 'built')
  execFileSync(process.execPath, [join(root, 'kit/build.ts'), built])
  execFileSync('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: built, stdio: 'pipe' })
  const tarball = readdirSync(directory).find(name => name.endsWith('.tgz'))!
  const project = join(directory, 'project')
  const kit = join(project, 'node_modules/@quarterdeck/kit')
  mkdirSync(kit, { recursive: true })
  execFileSync('tar', ['-xzf', join(directory, tarball), '--strip-components=1', '-C', kit])
  for (const name of ['fastify', 'express', 'hono', '@hono']) {
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name))
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  writeFileSync(join(project, 'REVISION'), '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394\n')
  return project
}

const services = {
  fastify: `
    import Fastify from 'fastify'
    import { quarterdeck } from '@quarterdeck/kit/fastify'
    const app = Fastify()
    await app.register(quarterdeck, { name: 'hello' })
    app.get('/', () => 'hello')
    await app.ready()
    const { port } = await app.quarterdeck.listen(app.server)`,
  express: `
    import express from 'express'
    import { quarterdeck } from '@quarterdeck/kit/express'
    const app = express()
    const kept = quarterdeck({ name: 'hello' })
    app.use(kept)
    app.get('/', (request, response) => response.send('hello'))
    const { port } = await kept.kit.listen(app)`,
  hono: `
    import { createAdaptorServer } from '@hono/node-server'
    import { Hono } from 'hono'
    import { quarterdeck } from '@quarterdeck/kit/hono'
    const app = new Hono()
    const kit = quarterdeck(app, { name: 'hello' })
    app.get('/', context => context.text('hello'))
    const { port } = await kit.listen(createAdaptorServer(app))`,
  node: `
    import { quarterdeck } from '@quarterdeck/kit/node'
    const kept = quarterdeck({ name: 'hello' }, (request, response) => response.end('hello'))
    const { port } = await kept.kit.listen(kept)`,
}

test('the tarball works in plain JavaScript, on every framework, from start to stop', async () => {
  const project = installedProject()
  for (const [name, source] of Object.entries(services)) {
    const file = join(project, `${name}.js`)
    writeFileSync(file, `${source}\nprocess.stdout.write('port ' + port)`)
    const service = spawn(process.execPath, [file], {
      cwd: project,
      env: { PATH: process.env.PATH, PORT: '0' },
    })
    onTestFinished(() => void service.kill('SIGKILL'))
    let said = ''
    for (const stream of [service.stdout, service.stderr]) {
      stream.on('data', chunk => {
        said += chunk
      })
    }
    const port = await until(`${name} listens`, () => said.match(/port (\d+)/)?.[1])
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    expect([name, await get('/')]).toEqual([name, 'hello'])
    expect(await get('/healthz')).toBe('{"ok":true}')
    expect(JSON.parse(await get('/version'))).toEqual({
      name: 'hello',
      sha: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
    })
    expect(await get('/metrics')).toContain('# HELP http_requests_total Total HTTP requests\n')
    service.kill('SIGTERM')
    const code = await new Promise(resolve => service.once('exit', resolve))
    expect([name, code, said.replace(/port \d+/, '')]).toEqual([name, 0, ''])
  }
})
