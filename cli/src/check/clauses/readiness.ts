/** /readyz: the service can do its job. */
import { breach, type Clause, holds } from '../clause.ts'
import { quoted } from '../quoted.ts'
import { jsonEndpoint, objectIn, unseen, wrongStatus } from './json-endpoint.ts'

const path = '/readyz'
const statuses = [200, 503]

export const readinessClauses: readonly Clause[] = [
  {
    id: 'readiness.status',
    title: '/readyz answers 200',
    async check(probe) {
      const answer = await probe.first(path)
      if (answer.status === 200) return holds('200: ready')
      return answer.status === 503
        ? breach(
            '503: not ready',
            'Look in its log for the dependency that does not answer; a service that is stopping is not ready either.',
          )
        : wrongStatus(answer, 'Answer GET /readyz with 200 {"ok":true}, or 503 {"ok":false} when not ready.')
    },
  },
  {
    id: 'readiness.body',
    title: '/readyz says what its status says, and nothing else',
    async check(probe) {
      const answer = await probe.first(path)
      if (!statuses.includes(answer.status)) return unseen(answer)
      const ok = answer.status === 200
      const readiness = objectIn(answer)
      return readiness?.ok === ok && Object.keys(readiness).length === 1
        ? holds(`{"ok":${ok}}`)
        : breach(
            `${quoted(answer.body.toString())} with ${answer.status}`,
            `Send {"ok":${ok}} with ${answer.status} and no other field: why it is not ready belongs in the log.`,
          )
    },
  },
  ...jsonEndpoint('readiness', path, statuses),
]
