/** All services in one word and one sentence. */
import type { Indicator, ServiceStatus } from '@quarterdeck/contract'

interface Told {
  readonly name: string
  readonly status: ServiceStatus
}

export function indicatorOf(
  services: readonly Told[],
  isObserved: boolean,
): { indicator: Indicator; description: string } {
  const of = (...statuses: ServiceStatus[]) => services.filter(({ status }) => statuses.includes(status))
  const known = services.filter(({ status }) => status !== 'unknown')
  const [out, partial, degraded] = [of('outage'), of('partial_outage'), of('degraded')]
  const unknown = services.length - known.length
  const rest = unknown === 0 ? '' : `; nothing is known of ${counted(unknown)}`
  const told = (indicator: Indicator, description: string) => ({
    indicator,
    description: `${description}${rest}`,
  })
  if (services.length === 0) return { indicator: 'none', description: 'There are no services yet' }
  if (!isObserved || known.length === 0)
    return { indicator: 'unknown', description: 'Nobody watches the services at the moment' }
  // Half of everything is no single failure any more.
  if (out.length * 2 >= known.length && out.length > 1) return told('critical', are(out, 'down'))
  if (out.length > 0) return told('major', are(out, 'down'))
  if (partial.length > 0) return told('minor', are(partial, 'partly down'))
  if (degraded.length > 0) return told('minor', are(degraded, 'not as it should be', 'not as they should be'))
  const maintained = of('maintenance')
  if (maintained.length > 0) return told('maintenance', are(maintained, 'under maintenance'))
  return told('none', unknown === 0 ? 'All services are operational' : 'All other services are operational')
}

const counted = (count: number) => (count === 1 ? 'one service' : `${count} services`)

function are(services: readonly Told[], how: string, several = how): string {
  if (services.length === 1) return `${services[0]!.name} is ${how}`
  if (services.length <= 3) {
    const names = services.map(({ name }) => name)
    return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are ${several}`
  }
  return `${services.length} services are ${several}`
}

const weights: readonly Indicator[] = ['none', 'unknown', 'maintenance', 'minor', 'major', 'critical']

/** What people say is wrong counts, too, where it is worse than what is seen. */
export function withIncidents(
  seen: { indicator: Indicator; description: string },
  incidents: readonly { name: string; impact: Indicator }[],
): { indicator: Indicator; description: string } {
  const weight = ({ indicator }: { indicator: Indicator }) => weights.indexOf(indicator)
  const said = incidents.map(({ name, impact }) => ({ indicator: impact, description: name }))
  return said.reduce((worst, one) => (weight(one) > weight(worst) ? one : worst), seen)
}
