/** Large bodies for tests: whether who sends is stopped when nobody reads. */
import { setImmediate as turn } from 'node:timers/promises'

export const mebibyte = Buffer.alloc(1024 * 1024, 'x')
export const bodyMiB = 50

/** Writes as fast as it is taken, then ends; `sent` is how many MiB were. */
export function pour(into: NodeJS.WritableStream): { sent(): number } {
  let sent = 0
  const next = () => {
    if (sent === bodyMiB) into.end()
    else
      into.write(mebibyte, () => {
        sent++
        setImmediate(next)
      })
  }
  next()
  return { sent: () => sent }
}

/** What has been sent when nothing has moved for many turns of the loop. */
export async function standstill(sent: () => number): Promise<number> {
  let still = 0
  for (let last = -1; still < 2000; await turn()) {
    still = sent() === last ? still + 1 : 0
    last = sent()
  }
  return sent()
}
