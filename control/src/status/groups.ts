/** The groups that services are shown in, in their order. */
import type { ServiceGroup } from '@quarterdeck/contract'

const usual = ['production', 'control', 'development']

/** The usual three that have services, then others by name. */
export function groupsOf(services: readonly { group: string }[]): ServiceGroup[] {
  const used = new Set(services.map(({ group }) => group))
  const others = [...used].filter(group => !usual.includes(group)).sort()
  const ids = [...usual.filter(group => used.has(group)), ...others]
  return ids.map((id, index) => ({ id, name: shown(id), order: index + 1 }))
}

const shown = (id: string) => `${id[0]!.toUpperCase()}${id.slice(1).replaceAll('-', ' ')}`
