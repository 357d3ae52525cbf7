/** Whoever asks for what is not there learns nothing of the inside. */
import { randomUUID } from 'node:crypto'
import { breach, type Clause, holds } from '../clause.ts'
import type { Answer, Probe } from '../probe.ts'

/** As Node, Python, Java and Go print them, also inside HTML. */
const traces = [
  /\bat [^\n]{1,300}?:\d+:\d+/,
  /Traceback \(most recent call last\)/,
  /\bat [\w.$]+\(\w+\.java:\d+\)/,
  /goroutine \d+ \[/,
]

const unknownPath = `/qd-check-${randomUUID()}`

export const errorClauses: readonly Clause[] = [
  {
    id: 'errors.not-found',
    title: 'an unknown path answers 404',
    async check(probe) {
      const { status } = await unknown(probe)
      return status === 404
        ? holds('404')
        : breach(
            `${status}`,
            'Answer 404 where no route matches, so that a wrong address is seen and not taken for a page.',
          )
    },
  },
  {
    id: 'errors.no-trace',
    title: 'an error shows nothing of the inside',
    async check(probe) {
      const text = (await unknown(probe)).body.toString()
      return traces.some(trace => trace.test(text))
        ? breach(
            'the answer to an unknown path holds a stack trace',
            'Turn the debug mode of the framework off: a stack trace belongs in the log alone.',
          )
        : holds('no stack trace')
    },
  },
]

const unknown = (probe: Probe): Promise<Answer> => probe.first(unknownPath)
