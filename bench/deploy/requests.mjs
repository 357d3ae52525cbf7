/**
 * Asks a port over and over, GET and POST with a body in turn, each on a connection of its own, until a file is there; then
 * prints what came of it. usage: requests.mjs PORT FILE
 */
import { existsSync } from 'node:fs'
import { request } from 'node:http'

const port = Number(process.argv[2])
/** @type {{ asked: number, failed: number, reasons: string[] }} */
const count = { asked: 0, failed: 0, reasons: [] }
const isOver = () => existsSync(process.argv[3] ?? '')

/** @param {number} n @returns {Promise<void>} */
const ask = n =>
  new Promise(resolve => {
    const done = (/** @type {string | undefined} */ reason) => {
      count.asked++
      if (reason) count.failed++
      if (reason && count.reasons.length < 5) count.reasons.push(reason)
      resolve()
    }
    const isPost = n % 2 === 1
    const options = {
      host: '127.0.0.1',
      port,
      path: '/',
      method: isPost ? 'POST' : 'GET',
      agent: false,
      timeout: 20_000,
    }
    const call = request(options, response => {
      response.resume()
      response.once('end', () =>
        done(response.statusCode === 200 ? undefined : `status ${response.statusCode}`),
      )
      response.once('error', error => done(error.message))
    })
    call.once('error', error => done(error.message))
    call.end(isPost ? 'x'.repeat(2000) : undefined)
  })

await Promise.all(
  Array.from({ length: 4 }, async (_, worker) => {
    for (let n = worker; !isOver(); n++) await ask(n)
  }),
)
process.stdout.write(JSON.stringify(count))
