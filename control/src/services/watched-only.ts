/** Services that are watched only, as they are looked at. */
import { isUnreadable } from '#secrets'
import { apiPaths, type MonitoredInstance, type MonitoredService, serverOf } from '#watch'
import type { Services, WatchedService } from './services.ts'
import { type ServiceRow, settingsIn } from './stored-service.ts'

export function monitoredOnly(
  services: Services,
  row: ServiceRow,
  runbookUrl: (named: string) => string,
): MonitoredService {
  const { id } = row
  const { name, group, description, depends_on, runbook, url } = settingsIn(row)
  return {
    ...{ id, name, group, description, kind: 'watched', dependsOn: depends_on },
    ...{ site: url, runbook: runbook === null ? null : runbookUrl(runbook), deployedAt: null },
    instances: [opened(services, row)],
  }
}

/** One whose headers cannot be read is not asked without them. The others are watched all the same. */
function opened(services: Services, row: ServiceRow): MonitoredInstance {
  try {
    return instanceOf(services.opened(row))
  } catch (error) {
    if (!isUnreadable(error)) throw error
    const condition = { state: 'unknown', since: null, reason: null } as const
    return { id: row.id, machine: null, kind: 'told', condition }
  }
}

function instanceOf(service: WatchedService): MonitoredInstance {
  const { id, url, expect, headers, interval_s, timeout_s, is_kit } = service
  const address = new URL(url)
  const common = {
    ...{ id, machine: null, server: serverOf(address, headers) },
    ...{ intervalMs: interval_s * 1000, timeoutMs: timeout_s * 1000 },
  }
  if (!is_kit) return { ...common, kind: 'address', target: { url, expect, timeout_s, is_kit, headers } }
  return {
    ...common,
    kind: 'api',
    paths: apiPaths(address.pathname.replace(/\/+$/, ''), '/metrics'),
    expected: { names: null, sha: null },
    certificateDays: expect.certificate_days,
  }
}
