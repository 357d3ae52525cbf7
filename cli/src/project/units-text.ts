/** What is in place, machine by machine and unit by unit. */
import type { Project } from '@quarterdeck/contract'
import { plain } from '../plain.ts'
import { shortSha } from '../run/ending.ts'
import { aligned } from '../table.ts'
import { moment } from '../when.ts'

type Unit = Project['instances'][number]['units'][number]

export const unitLines = ({ instances }: Project): string[] =>
  aligned(
    instances.flatMap(({ machine, sha, proven_sha, units }) =>
      units.length === 0
        ? [[plain(machine), shortSha(sha), 'no unit yet']]
        : units.map((unit, index) =>
            index === 0
              ? [plain(machine), shortSha(sha), `${unitText(unit)}${drift(sha, proven_sha)}`]
              : ['', '', unitText(unit)],
          ),
    ),
  )

/** Someone has checked out another commit by hand and restarted the unit. */
const drift = (sha: string | null, proven: string | null): string =>
  sha === null || proven === null || sha === proven
    ? ''
    : ` (drift: checked out by hand, ${shortSha(proven)} was deployed)`

function unitText({ name, state, pid, since, restarts }: Unit): string {
  const facts = [
    state,
    ...(pid === null ? [] : [`pid ${pid}`]),
    ...(since === null ? [] : [`since ${moment(since)}`]),
    ...(restarts > 0 ? [`started again ${restarts} ${restarts === 1 ? 'time' : 'times'}`] : []),
  ]
  return `${plain(name)} ${facts.join(', ')}`
}

/** One word for the whole project. */
export function stateOf({ instances }: Project): string {
  const states = instances.flatMap(({ units }) => units.map(({ state }) => state))
  if (states.length === 0) return 'not deployed'
  return (['failed', 'stopped', 'running', 'waiting'] as const).find(state => states.includes(state))!
}
