/** Asks for what nobody should see: what is typed does not appear. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { GuidedFault } from '../fail.ts'

export interface Asking {
  input?: NodeJS.ReadableStream
  output?: NodeJS.WritableStream
}

export async function askHidden(
  question: string,
  { input = process.stdin, output = process.stderr }: Asking = {},
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  const stop = new AbortController()
  lines.once('SIGINT', () => stop.abort())
  lines.once('close', () => stop.abort())
  output.write(question)
  try {
    return await lines.question('', { signal: stop.signal })
  } catch (error) {
    if (stop.signal.aborted) throw broken()
    throw error
  } finally {
    lines.close()
    output.write('\n')
  }
}

const broken = () =>
  new GuidedFault('invalid_fields', 'It was broken off. Nothing was changed.', 'Type the value, then Enter.')
