/** What of the demo was left out, and why. Nothing to say where there is none, or where all of it is. */
import { samples } from '../demo/samples.ts'
import { readDemo } from '../demo/state.ts'
import type { Check } from './check.ts'

export function checkDemo(home: string): Check[] {
  const demo = readDemo(home)
  return samples.flatMap(({ name, runtime }) => {
    const { state, reason = '', remedy = null } = demo?.[runtime] ?? {}
    if (state !== 'left_out') return []
    return [
      { capability: 'The demo', name, required: false, ok: false, found: `left out: ${reason}`, remedy },
    ]
  })
}
