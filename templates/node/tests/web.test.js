import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { name, service } from '../app/web.js'

const server = createServer(service())

before(async () => {
  await once(server.listen(0), 'listening')
})
after(() => server.close())

/** Asks the service as it is served: with the kit. */
async function ask(path, method = 'GET') {
  const response = await fetch(`http://127.0.0.1:${server.address().port}${path}`, { method })
  return { status: response.status, body: await response.json() }
}

test('it makes a slug of a title', async () => {
  const { status, body } = await ask(`/slug?title=${encodeURIComponent('Ärger & Spaß, part 2')}`)
  assert.deepEqual([status, body.slug], [200, 'arger-spass-part-2'])
})

test('a title without letters is refused', async () => {
  assert.equal((await ask('/slug')).status, 422)
  assert.equal((await ask('/slug?title=%20-%20')).status, 422)
})

test('the front says what there is, and other paths are not there', async () => {
  const answers = [await ask('/'), await ask('/nothing'), await ask('/', 'POST')]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 405],
  )
})

test('it keeps the rules of the environment', async () => {
  assert.deepEqual(await ask('/healthz'), { status: 200, body: { ok: true } })
  assert.deepEqual(await ask('/readyz'), { status: 200, body: { ok: true } })
  assert.equal((await ask('/version')).body.name, name)
})
