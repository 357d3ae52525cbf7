/** How the services are, for where there is room for a few lines. */
import type { Watch } from '#watch'
import { indicatorOf } from './indicator.ts'

/** All in one sentence, then each that is not as it should be, with its reason. */
export function inWords(watch: Watch, isObserved: boolean): string[] {
  const states = [...watch.services]
  const told = states.map(({ service, status }) => ({ name: service.name, status }))
  const others = states.flatMap(({ service, status, rolledUp }) =>
    status === 'operational' || status === 'unknown'
      ? []
      : [`${service.name}: ${rolledUp.reason?.message ?? status.replace('_', ' ')}`],
  )
  return [indicatorOf(told, isObserved).description, ...others]
}
