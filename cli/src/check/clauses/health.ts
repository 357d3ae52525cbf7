/** /healthz: the process works. */
import { breach, type Clause, holds } from '../clause.ts'
import { quoted } from '../quoted.ts'
import { jsonEndpoint, objectIn, unseen, wrongStatus } from './json-endpoint.ts'

const path = '/healthz'
const promptMs = 1000

export const healthClauses: readonly Clause[] = [
  {
    id: 'health.status',
    title: '/healthz answers 200',
    async check(probe) {
      const answer = await probe.first(path)
      if (answer.status === 200) return holds('200')
      return answer.status === 503
        ? breach('503: it says itself that it does not work', 'Look at its log, and start it again.')
        : wrongStatus(answer, 'Answer GET /healthz with 200 and {"ok":true}; the kit does it in one line.')
    },
  },
  {
    id: 'health.body',
    title: '/healthz says {"ok":true} and nothing else',
    async check(probe) {
      const answer = await probe.first(path)
      if (answer.status !== 200) return unseen(answer)
      const health = objectIn(answer)
      return health?.ok === true && Object.keys(health).length === 1
        ? holds('{"ok":true}')
        : breach(
            quoted(answer.body.toString()),
            'Send {"ok":true} with no other field: details belong in the log.',
          )
    },
  },
  {
    id: 'health.prompt',
    title: '/healthz answers within a second',
    async check(probe) {
      const { ms } = await probe.first(path)
      return ms <= promptMs
        ? holds(`${Math.ceil(ms)} ms`)
        : breach(
            `${Math.ceil(ms)} ms`,
            'Ask nothing else in /healthz: what the service depends on belongs in /readyz.',
          )
    },
  },
  ...jsonEndpoint('health', path, [200]),
]
