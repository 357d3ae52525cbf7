/**
 * OpenMetrics 1.0 derived from text format 0.0.4. (prom-client's own OpenMetrics mode changes the registry, so that
 * its plain text is wrong from the first such scrape on.)
 */

/** True when the Accept header ranks OpenMetrics 1.0, by its name, at least as high as plain text. */
export function prefersOpenMetrics(accept = ''): boolean {
  const ranges = accept.split(',').map(parseRange)
  const openMetrics = ranges.filter(
    range => range.type === 'application/openmetrics-text' && (range.version ?? '1.0.0') === '1.0.0',
  )
  // The range that fits most closely decides (RFC 9110, 12.5.1).
  const text = ['text/plain', 'text/*', '*/*']
    .map(type => ranges.filter(range => range.type === type))
    .find(fitting => fitting.length > 0)
  return quality(openMetrics) > 0 && quality(openMetrics) >= quality(text ?? [])
}

interface Range {
  type: string
  version: string | undefined
  q: number
}

function parseRange(text: string): Range {
  const [type = '', ...rest] = text.split(';').map(part => part.trim().toLowerCase().replaceAll('"', ''))
  const parameters = new Map(rest.map(part => part.split('=', 2) as [string, string]))
  const q = Number(parameters.get('q') ?? 1)
  return { type, version: parameters.get('version'), q: Number.isFinite(q) ? q : 0 }
}

const quality = (ranges: Range[]) => Math.max(0, ...ranges.map(range => range.q))

export function openMetrics(text: string): string {
  const lines = text.split('\n').filter(line => line !== '' && (!line.startsWith('#') || isMetadata(line)))
  const counters = new Set(lines.flatMap(line => line.match(/^# TYPE (\S+)_total counter$/)?.[1] ?? []))
  return `${lines.map(line => convert(line, counters)).join('\n')}\n# EOF\n`
}

const isMetadata = (line: string) => line.startsWith('# HELP ') || line.startsWith('# TYPE ')

function convert(line: string, counters: ReadonlySet<string>): string {
  const metadata = line.match(/^# (HELP|TYPE) (\S+) ?(.*)$/)
  if (!metadata) return line.replace(/(\ble=")(-?\d+)"/, '$1$2.0"')
  const [, keyword, name = '', rest = ''] = metadata
  const family = name.replace(/_total$/, '')
  const familyName = counters.has(family) ? family : name
  if (keyword === 'HELP') return `# HELP ${familyName} ${rest.replaceAll('"', '\\"')}`
  // In OpenMetrics a counter's samples end in _total; one that does not is of unknown type.
  const type = rest === 'untyped' || (rest === 'counter' && familyName === name) ? 'unknown' : rest
  return `# TYPE ${familyName} ${type}`
}
