/** Program: makes the HTTP request that is on its standard input as JSON, and prints the answer as JSON. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'

const { body, ...options } = JSON.parse(await text(process.stdin))
const tell = (answer: unknown) => process.stdout.write(JSON.stringify(answer))

request({ ...options, agent: false }, async response => {
  try {
    tell({ status: response.statusCode, headers: response.headers, text: await text(response) })
  } catch (error) {
    tell({ error: (error as NodeJS.ErrnoException).code })
  }
})
  .on('error', (error: NodeJS.ErrnoException) => tell({ error: error.code ?? error.message }))
  .end(body)
