/** The peer of the health figure: Fastify with one route and nothing else. */
import Fastify from 'fastify'

const app = Fastify()
app.get('/healthz', async () => ({ ok: true }))
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`port ${new URL(address).port}\n`)
process.once('SIGTERM', () => app.close())
