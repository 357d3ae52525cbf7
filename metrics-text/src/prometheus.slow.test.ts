/** What Prometheus itself makes of pages: it scrapes them as we read them, and what it then knows is compared. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Kit } from '@quarterdeck/kit'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { Counter, Histogram, Registry, Summary } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { type Format, formatOf, PageError, readPage } from './index.ts'

const types: Record<Format, string> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

const pages: Record<string, { type: string; body: string }> = {
  free: {
    type: types.text,
    body: '# a remark\n#HELP none\n# HELP a\na { b = "c" , } \t 1.5e3 \n\nd{e="\\\\ \\" \\n \\t {},= ü😀"} +Inf\nf -0.0000012345678901234567\ng{h="",i="j"} 0042\nk NaN\nl{m="n"}5\n:o:p .5\nq 9007199254740993\n',
  },
  open: {
    type: types.openmetrics,
    body: '# TYPE a_seconds histogram\n# UNIT a_seconds seconds\n# HELP a_seconds A \\"b\\"\na_seconds_bucket{le="1.0"} 1 # {id="x"} 0.5\na_seconds_bucket{le="+Inf"} 2\na_seconds_count 2\na_seconds_sum 7.25\n# TYPE b counter\nb_total{c="d\\n"} 1e3\nb_created{c="d\\n"} 1520430000.123\n# TYPE e info\ne_info{f="g"} 1\n# TYPE h stateset\nh{h="i"} 0\nh{h="j"} 1\n# EOF\n',
  },
  kit: await kitPage(undefined),
  'kit, open': await kitPage('application/openmetrics-text;version=1.0.0'),
  client: { type: types.text, body: await clientPage() },
}

const refused: Record<string, { type: string; body: string }> = {
  crlf: { type: types.text, body: 'a 1\r\n' },
  'no value': { type: types.text, body: 'a\n' },
  'no such type': { type: types.text, body: '# TYPE a number\na 1\n' },
  'two labels of a name': { type: types.text, body: 'a{b="c",b="d"} 1\n' },
  'too large': { type: types.text, body: 'a 1e999\n' },
  hexadecimal: { type: types.text, body: 'a 0x1p3\n' },
  'not UTF-8': { type: types.text, body: 'a{b="\xff"} 1\n' },
  'no end': { type: types.openmetrics, body: 'a 1\n' },
  'an empty line': { type: types.openmetrics, body: 'a 1\n\n# EOF\n' },
}

test('Prometheus finds the same series and values in a page, and refuses what we refuse', async context => {
  if (spawnSync('prometheus', ['--version']).error)
    context.skip('prometheus is not installed (Debian: prometheus)')
  const all = { ...pages, ...refused }
  const names = Object.keys(all)
  const target = await serve(names.map(name => all[name]!))
  const url = await startPrometheus(target, names)
  await until('every page is scraped', async () => (await query(url, 'up')).length === names.length)

  const up = new Map((await query(url, 'up')).map(({ metric, value }) => [metric.job, value[1]]))
  for (const name of names) {
    const { type, body } = all[name]!
    const ours = seriesIn(Buffer.from(body, name === 'not UTF-8' ? 'latin1' : 'utf8'), formatOf(type))
    expect([name, up.get(name)]).toEqual([name, ours ? '1' : '0'])
    if (ours) expect([name, await theirs(url, name)]).toEqual([name, ours])
  }
  expect(names.filter(name => up.get(name) === '0')).toEqual(Object.keys(refused))
})

type Known = Record<string, number>

function seriesIn(page: Buffer, format: Format): Known | undefined {
  try {
    const { samples } = readPage(page, { format })
    return Object.fromEntries(
      samples.map(({ series, value }) => [keyOf(series.name, [...series.labels]), value]),
    )
  } catch (error) {
    if (error instanceof PageError) return undefined
    throw error
  }
}

async function theirs(url: string, job: string): Promise<Known> {
  const found = await query(url, `{job="${job}"}`)
  const own = new Set(['__name__', 'job', 'instance'])
  return Object.fromEntries(
    found
      .filter(({ metric }) => metric.__name__ !== 'up' && !metric.__name__!.startsWith('scrape_'))
      .map(({ metric, value }) => [
        keyOf(
          metric.__name__!,
          Object.entries(metric).filter(([label]) => !own.has(label)),
        ),
        numberIn(value[1]),
      ]),
  )
}

const keyOf = (name: string, labels: [string, string][]) =>
  name + JSON.stringify(labels.sort(([a], [b]) => (a < b ? -1 : 1)))

const numberIn = (text: string) => Number(text.replace('Inf', 'Infinity'))

interface Found {
  metric: Record<string, string>
  value: [number, string]
}

async function query(url: string, expression: string): Promise<Found[]> {
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`).catch(
    () => undefined,
  )
  if (!answer?.ok) return []
  return ((await answer.json()) as { data: { result: Found[] } }).data.result
}

/** Each page under its number. */
async function serve(served: { type: string; body: string }[]): Promise<string> {
  const server = createServer((request, response) => {
    const { type, body } = served[Number(request.url!.slice(1))]!
    response.setHeader('content-type', type)
    response.end(Buffer.from(body, body.includes('\xff') ? 'latin1' : 'utf8'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function startPrometheus(target: string, names: string[]): Promise<string> {
  const home = temporaryDirectory()
  const scrape_configs = names.map((job_name, i) => ({
    job_name,
    metrics_path: `/${i}`,
    scrape_interval: '1s',
    scrape_timeout: '1s',
    static_configs: [{ targets: [target] }],
  }))
  // YAML takes JSON as it is.
  writeFileSync(join(home, 'prometheus.yml'), JSON.stringify({ scrape_configs }))
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(home, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(home, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  onTestFinished(() => ended(child))
  return `http://${await listeningAt(child)}`
}

/** Prometheus says in its log where it listens. */
async function listeningAt(child: ChildProcess): Promise<string> {
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await until('Prometheus listens', () => /Listening on.*address=\S+/.test(said))
  return said.match(/Listening on.*?address=(\S+)/)![1]!
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function kitPage(accept: string | undefined): Promise<{ type: string; body: string }> {
  const { headers, body } = await new Kit({ name: 'hello' }).metricsText(accept)
  return { type: String(headers['content-type']), body }
}

/** What the library itself writes of every kind. */
async function clientPage(): Promise<string> {
  const registers = [new Registry()]
  const odd = { label: 'a\\b"c\nd' }
  new Counter({ name: 'c_total', help: 'C \\ \n', labelNames: ['label'], registers }).inc(odd, 0.1)
  new Summary({ name: 's', help: 'S', labelNames: ['label'], registers }).observe(odd, 3)
  new Histogram({ name: 'h', help: 'H', labelNames: ['label'], registers }).observe(odd, 3)
  return registers[0]!.metrics()
}
