import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ProjectRoute, Upstream } from './main.ts'
import { edgeUnderTest, upstream } from './under-test.ts'

async function frontPageOf(upstreams: Upstream[], projects: ProjectRoute[] = []) {
  const { edge, ask } = await edgeUnderTest()
  edge.serve(upstreams)
  edge.route(projects)
  return { port: edge.port, ...(await ask('example.com', '/', { headers: { accept: 'text/html' } })) }
}

const rowsOf = (body: string) => [...body.matchAll(/<li>.*?<\/li>/gs)].map(([row]) => row)

test('the front page links to every host and says whether it is ready', async () => {
  const { port, status, body } = await frontPageOf([
    upstream('admin'),
    upstream('status', undefined, { ready: async () => false }),
  ])
  expect(status).toBe(200)
  const [admin, other] = rowsOf(body)
  expect(admin).toContain(`<a href="http://admin.example.com:${port}">admin</a>`)
  expect(admin).toContain('Tests admin.')
  expect(admin).toContain('>ready<')
  expect(other).toContain(`<a href="http://status.example.com:${port}">status</a>`)
  expect(other).toContain('>not ready<')
  expect(rowsOf(body)).toHaveLength(2)
})

test('it links to every project and says whether it runs', async () => {
  const target = { address: '192.0.2.7', port: 4711 }
  const { port, body } = await frontPageOf(
    [upstream('admin')],
    [
      { name: 'hello', target, state: 'running' },
      { name: 'later', target: null, state: 'not deployed' },
      { name: 'admin', target, state: 'running' },
    ],
  )
  expect(body).toContain('<h2>Projects</h2>')
  const [, hello, later, ...more] = rowsOf(body)
  expect(hello).toContain(`<a href="http://hello.example.com:${port}">hello</a>`)
  expect(hello).toContain('>running<')
  expect(later).toContain(`<a href="http://later.example.com:${port}">later</a>`)
  expect(later).toContain('>not deployed<')
  // The name is taken by one of control's hosts, so that there is nothing to link to.
  expect(more).toEqual([])
  expect(body).not.toMatch(/192\.0\.2\.7|4711/)
})

test('without projects it has no heading for them', async () => {
  expect((await frontPageOf([upstream('admin')])).body).not.toContain('Projects')
})

test('a host that cannot say whether it is ready is not', async () => {
  const failing = upstream('admin', undefined, { ready: () => Promise.reject(new Error('away')) })
  const { status, body } = await frontPageOf([failing, upstream('status')])
  expect(status).toBe(200)
  expect(rowsOf(body).map(row => row.match(/>(not ready|ready)</)?.[1])).toEqual(['not ready', 'ready'])
})

test('a host may be an object with a state of its own', async () => {
  class Counting {
    name = 'admin'
    title = 'Admin'
    purpose = 'Counts.'
    asked = 0
    async ready() {
      return ++this.asked > 0
    }
    handle() {}
  }
  expect((await frontPageOf([new Counting()])).body).toContain('>ready<')
})

test('nothing that a host says of itself becomes markup', async () => {
  const { body } = await frontPageOf([
    upstream('admin', undefined, {
      title: '<script>alert(1)</script>',
      purpose: '"><img src=x onerror=alert(1)>',
    }),
  ])
  expect(body).not.toMatch(/<script|<img/)
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('the page is sent with the policy that fits its style', async () => {
  const { headers, body } = await frontPageOf([])
  const sheet = body.match(/<style>(.*?)<\/style>/s)?.[1] ?? ''
  const hash = createHash('sha256').update(sheet).digest('base64')
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringContaining(`style-src 'sha256-${hash}'`),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  })
})
