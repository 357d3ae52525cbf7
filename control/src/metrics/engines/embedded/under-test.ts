/** Targets for a real Prometheus, whose pages follow a script: what each shows depends only on how often it was asked. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The page of a turn; null: it does not answer. */
export type Script = (turn: number) => string | null

export interface ScriptedTarget {
  readonly address: string
  /** How often it was asked. */
  readonly turns: () => number
  close(): void
}

export async function startTarget(script: Script): Promise<ScriptedTarget> {
  let turn = 0
  const server: Server = createServer((_request, response) => {
    const page = script(turn++)
    if (page === null) response.destroy()
    else response.setHeader('Content-Type', 'text/plain; version=0.0.4').end(page)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    turns: () => turn,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Counters with a reset, values of every kind, a series that comes and goes, labels that are hard to write. */
export const steadyPage: Script = turn =>
  lines({
    'requests_total{method="GET",code="200"}': 7 * turn + (turn % 3),
    'requests_total{method="GET",code="500"}': turn < 4 ? 0 : turn - 3,
    'requests_total{method="POST",code="200"}': 1000 + 13.25 * (turn % 9),
    'requests_total{method="DELETE",code="404"}': turn > 3 ? 3 : 0,
    'limit_requests{method="GET"}': 40,
    'limit_requests{method="POST"}': 1010,
    'temperature{room="a"}': [20.5, -3, 17, 0, 1e-9][turn % 5],
    'temperature{room="b"}': [1, Number.NaN, 5, Infinity, 2, -Infinity][turn % 6],
    'temperature{room="c"}': Number.NaN,
    'temperature{room="Ä \\"x\\" \\\\ \\n"}': 1e15 + turn / 8,
    'flapping{part="x"}': turn % 4 < 2 ? turn : undefined,
    'flapping{part="y"}': turn % 5 === 0 ? turn : undefined,
    ended: turn < 5 ? turn : undefined,
    late: turn > 8 ? turn : undefined,
    huge: 1e308,
    'free_bytes{disk="/"}': 5e9 - turn * 1.5e7 + (turn % 2) * 1e6,
    'free_bytes{disk="/home"}': 7e9,
    'build_info{sha="abc123",version="1"}': 1,
  })

export const dyingPage: Script = turn => (turn < 8 ? steadyPage(turn * 2) : null)

function lines(values: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([series, value]) => `${series} ${goText(value!)}\n`)
    .join('')
}

const goText = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
