/** The metrics host: Prometheus' paths, envelope and errors, whichever engine is behind them. */
import { metricsOperations } from '@quarterdeck/contract'
import type { Kit } from '@quarterdeck/kit'
import { type RawCall, type Response, type Route, raw } from '#http'
import { type ApiAnswer, ReloadRefused } from './engine.ts'
import type { MetricsServer } from './metrics-server.ts'
import type { WatchedPlaces } from './watched-places.ts'

const plain = 'text/plain; charset=utf-8'

export interface MetricsRoutes {
  readonly server: MetricsServer
  readonly watched: WatchedPlaces
  /** Of control's own hosts, which a scrape cannot ask by their names. */
  kitOf(host: string): Kit | undefined
}

export function metricsRoutes({ server, watched, kitOf }: MetricsRoutes): Route[] {
  const ask = (question: Parameters<MetricsServer['ask']>[0]) => async (call: RawCall) =>
    jsonOf(await server.ask(question, parametersOf(call)))
  return [
    raw(metricsOperations.reloadMetrics, () => reload(server)),
    raw(metricsOperations.reloadMetricsByPut, () => reload(server)),
    raw(metricsOperations.readMetricsHealth, async () => text(200, 'Prometheus Server is Healthy.\n')),
    raw(metricsOperations.readMetricsReadiness, async () =>
      (await server.isReady())
        ? text(200, 'Prometheus Server is Ready.\n')
        : text(503, 'Service Unavailable: Prometheus does not answer.\n'),
    ),
    raw(metricsOperations.listTargets, ask('targets')),
    raw(metricsOperations.listRules, ask('rules')),
    raw(metricsOperations.listEngineAlerts, ask('alerts')),
    raw(metricsOperations.query, ask('query')),
    raw(metricsOperations.queryByForm, ask('query')),
    raw(metricsOperations.readServiceMetrics, ({ params, headers }) =>
      serviceMetrics(params.id!, headers.accept, watched, kitOf),
    ),
  ]
}

async function reload(server: MetricsServer): Promise<Response> {
  try {
    await server.reload()
    return text(200, '')
  } catch (error) {
    if (!(error instanceof ReloadRefused)) throw error
    return text(500, `failed to reload config: ${error.message}\n`)
  }
}

async function serviceMetrics(
  id: string,
  accept: string | undefined,
  watched: WatchedPlaces,
  kitOf: MetricsRoutes['kitOf'],
): Promise<Response> {
  const kit = kitOf(id)
  if (kit) {
    const { status, headers, body } = await kit.metricsText(accept)
    return { status, headers: { 'content-type': String(headers['content-type']) }, value: body }
  }
  const { status, text: body } = watched.probe(id)
  return status === 200
    ? { status, headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }, value: body }
    : text(status, body)
}

/** In the address, and in the body of a form. */
function parametersOf({ query, headers, body }: RawCall): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) return query
  const parameters = new URLSearchParams(body.toString('utf8'))
  for (const [name, value] of query) if (!parameters.has(name)) parameters.append(name, value)
  return parameters
}

/** As bytes: to a text a character set would be added. */
const jsonOf = ({ status, body }: ApiAnswer): Response => ({
  status,
  headers: { 'content-type': 'application/json' },
  value: Buffer.from(body),
})

const text = (status: number, value: string): Response => ({
  status,
  headers: { 'content-type': plain },
  value,
})
