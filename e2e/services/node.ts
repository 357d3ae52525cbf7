import { quarterdeck } from '@quarterdeck/kit/node'

const templates: [RegExp, string][] = [
  [/^\/$/, '/'],
  [/^\/items\/[^/]+$/, '/items/:id'],
  [/^\/slow$/, '/slow'],
]
const urlOf = (target = '/') => new URL(target, 'http://localhost')
const templateOf = (path: string) => templates.find(([pattern]) => pattern.test(path))?.[1]

const kept = quarterdeck(
  { name: process.env.NAME ?? 'hello', endpointOf: ({ url }) => templateOf(urlOf(url).pathname) },
  (request, response) => {
    const { pathname, searchParams } = urlOf(request.url)
    const template = templateOf(pathname)
    if (template === '/') response.end('hello\n')
    else if (template === '/items/:id') response.end(JSON.stringify({ id: pathname.split('/')[2] }))
    else if (template === '/slow')
      setTimeout(() => response.end('slow\n'), Number(searchParams.get('s') ?? 1) * 1000)
    else response.writeHead(404).end('not found\n')
  },
)
await kept.kit.listen(kept)
