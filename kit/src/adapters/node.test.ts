import { createServer } from 'node:http'
import { quarterdeck } from './node.ts'
import { adapterSuite } from './suite.ts'
import { serveForTest } from './under-test.ts'

const templates: Record<string, string> = { '/items/7': '/items/:id', '/wait': '/wait' }

adapterSuite('node:http', async kit => {
  const pathOf = (url = '/') => url.split('?')[0]!
  const listener = quarterdeck(
    { kit, endpointOf: ({ url }) => templates[pathOf(url)] },
    (request, response) => {
      const path = pathOf(request.url)
      if (path === '/items/7') response.end('an item')
      else if (path !== '/wait') response.writeHead(404).end()
    },
  )
  return {
    port: await serveForTest(createServer(listener)),
    itemTemplate: '/items/:id',
    itemPath: '/items/7',
  }
})
