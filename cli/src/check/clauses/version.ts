/** /version: which service, and which build of it. */
import { breach, type Clause, type Finding, holds, notChecked } from '../clause.ts'
import type { Answer, Probe } from '../probe.ts'
import { quoted } from '../quoted.ts'
import { jsonEndpoint, objectIn, unseen, wrongStatus } from './json-endpoint.ts'

const path = '/version'
/** Enough for several workers to have their turn. */
const repeats = 5

export interface ExpectedVersion {
  name?: string | undefined
  sha?: string | undefined
}

export const versionClauses = (expected: ExpectedVersion): Clause[] => [
  {
    id: 'version.status',
    title: '/version answers 200',
    async check(probe) {
      const answer = await probe.first(path)
      return answer.status === 200
        ? holds('200')
        : wrongStatus(answer, 'Answer GET /version with 200 and {"name":"…","sha":"…"}.')
    },
  },
  {
    id: 'version.body',
    title: '/version tells name and sha, and nothing else',
    async check(probe) {
      const answer = await probe.first(path)
      if (answer.status !== 200) return unseen(answer)
      return versionIn(answer)
        ? holds('name and sha')
        : breach(
            quoted(answer.body.toString()),
            'Send name and sha, both as text that is not empty, with no other field.',
          )
    },
  },
  known('version.sha', 'the sha is a commit', ({ sha }) => {
    if (/^[0-9a-f]{7,64}$/i.test(sha)) return holds(sha)
    return breach(
      quoted(sha),
      'Let the build tell its commit: a file REVISION at the root of its code, a Git checkout, or QUARTERDECK_SHA.',
    )
  }),
  known('version.steady', '/version stays the same', async (version, probe) => {
    for (let i = 0; i < repeats; i++) {
      const again = versionIn(await probe.ask(path))
      if (again?.name !== version.name || again.sha !== version.sha) {
        return breach(
          `${quoted(JSON.stringify(version))}, then ${quoted(JSON.stringify(again ?? null))}`,
          'Read name and sha once, at start, and start every worker from the same build.',
        )
      }
    }
    return holds(`${repeats + 1} equal answers`)
  }),
  known('version.expected-name', 'the name is the expected one', ({ name }) =>
    compared(
      name,
      expected.name,
      '--name',
      'See that the URL leads to the right service, or correct its name.',
    ),
  ),
  known('version.expected-sha', 'the sha is the expected one', ({ sha }) =>
    compared(
      sha,
      expected.sha,
      '--sha',
      'Deploy the expected commit, and see that the service was restarted.',
    ),
  ),
  ...jsonEndpoint('version', path, [200]),
]

interface Version {
  name: string
  sha: string
}

function versionIn(answer: Answer): Version | undefined {
  const { name, sha, ...more } = objectIn(answer) ?? {}
  const complete = typeof name === 'string' && name !== '' && typeof sha === 'string' && sha !== ''
  return complete && Object.keys(more).length === 0 ? { name, sha } : undefined
}

/** A clause on what /version says, where it says it as it must. */
function known(
  id: string,
  title: string,
  judge: (version: Version, probe: Probe) => Finding | Promise<Finding>,
): Clause {
  return {
    id,
    title,
    async check(probe) {
      const answer = await probe.first(path)
      const version = answer.status === 200 ? versionIn(answer) : undefined
      return version ? judge(version, probe) : notChecked('/version does not tell it')
    },
  }
}

function compared(found: string, wanted: string | undefined, option: string, remedy: string): Finding {
  if (wanted === undefined) return notChecked(`nothing to compare with; ${option} names it`)
  return found === wanted ? holds(found) : breach(`${quoted(found)} instead of ${quoted(wanted)}`, remedy)
}
