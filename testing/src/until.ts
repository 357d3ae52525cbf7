/** Waits for a condition, not for a time. */
import { setTimeout as wait } from 'node:timers/promises'

/** Asks until the answer is neither false nor undefined, and returns it; throws after the limit. */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 10_000,
): Promise<T> {
  const endMs = performance.now() + limitMs
  for (;;) {
    const answer = await condition()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() > endMs) throw new Error(`Waited ${limitMs} ms in vain: ${what}`)
    await wait(10)
  }
}
