/**
 * The rules that come with the product, for either engine. Besides `up` they read series that control and the agents export:
 *
 * - `service_certificate_ends_seconds{service}`: when the certificate of a service's address ends, in seconds since 1970
 * - `service_drift{service}`: 1 while another commit runs than was deployed, else 0
 * - `machine_disk_free_bytes{machine,mount}` and `machine_disk_size_bytes{machine,mount}`: each agent, of its machine
 *
 * None of these has a label `job` or `instance`: a scrape gives every series its own. By their jobs the rules know that nobody else
 * tells them: any service can write what it likes on its page.
 */
import { type AlertRule, type RuleFile, serviceDown } from '@quarterdeck/contract'

const certificateEnds: AlertRule = {
  alert: 'CertificateEnds',
  expr: 'service_certificate_ends_seconds{job="metrics"} - time() < 14 * 86400',
  for: '1h',
  labels: { severity: 'warning' },
  annotations: {
    summary: 'the certificate of {{ $labels.service }} ends in {{ $value | humanizeDuration }}',
  },
}

const serviceDrift: AlertRule = {
  alert: 'ServiceDrift',
  expr: 'service_drift{job="metrics"} == 1',
  for: '10m',
  labels: { severity: 'warning' },
  annotations: { summary: '{{ $labels.service }} runs another commit than was deployed' },
}

const diskFree = 'machine_disk_free_bytes{job="agent"} / machine_disk_size_bytes{job="agent"}'

const diskFull: AlertRule = {
  alert: 'DiskFull',
  expr: `${diskFree} < 0.05`,
  for: '5m',
  labels: { severity: 'critical' },
  annotations: {
    summary: '{{ $labels.mount }} of {{ $labels.machine }} has {{ $value | humanizePercentage }} left',
  },
}

const diskFillsUp: AlertRule = {
  alert: 'DiskFillsUp',
  expr: `predict_linear(machine_disk_free_bytes{job="agent"}[1h], 4 * 3600) < 0 and ${diskFree} < 0.2`,
  for: '30m',
  labels: { severity: 'warning' },
  annotations: { summary: '{{ $labels.mount }} of {{ $labels.machine }} will be full within four hours' },
}

/** A rule for each, since a series that is not there has no labels of its own. */
const targetMissing = (job: string): AlertRule => ({
  alert: 'TargetMissing',
  expr: `absent(up{job=${JSON.stringify(job)}})`,
  for: '5m',
  labels: { severity: 'warning', job },
  annotations: { summary: '{{ $labels.job }} should be scraped, and is no target of the metrics server' },
})

/** `jobs`: every service that should be a target. */
export function shippedRules(jobs: readonly string[]): RuleFile {
  return {
    groups: [
      {
        name: 'quarterdeck',
        interval: '15s',
        rules: [serviceDown, certificateEnds, serviceDrift, diskFull, diskFillsUp],
      },
      { name: 'quarterdeck-targets', interval: '1m', rules: jobs.map(targetMissing) },
    ],
  }
}
