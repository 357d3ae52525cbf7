/** Load on one path of a program, and what it took. */
import autocannon from 'autocannon'
import { median } from './figure.ts'
import { cpuSeconds, type Measurable } from './process.ts'

export interface Load {
  perSecond: number
  cpuMicroseconds: number
}

export interface Loaded {
  program: Measurable
  path: string
  host?: string
}

const warmUpSeconds = 4
const seconds = 2

export interface Round {
  ours: Load
  peer: Load
}

/** Short rounds in turns: a shared machine has moods, and each should fall on both. */
export async function compare(ours: Loaded, peer: Loaded, rounds: number): Promise<Round[]> {
  await load(peer, warmUpSeconds)
  await load(ours, warmUpSeconds)
  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) {
    measured.push({ peer: await load(peer, seconds), ours: await load(ours, seconds) })
  }
  return measured
}

export const throughputRatio = (rounds: readonly Round[]): number =>
  median(rounds.map(({ ours, peer }) => ours.perSecond / peer.perSecond))

export const processorRatio = (rounds: readonly Round[]): number =>
  median(rounds.map(({ ours, peer }) => peer.cpuMicroseconds / ours.cpuMicroseconds))

export function show(loads: readonly Load[]): string {
  const perSecond = Math.round(median(loads.map(load => load.perSecond)))
  return `${perSecond}/s, ${median(loads.map(load => load.cpuMicroseconds)).toFixed(1)} µs of processor each`
}

async function load(
  { program: { pid, port }, path, host = 'localhost' }: Loaded,
  duration: number,
): Promise<Load> {
  const before = cpuSeconds(pid)
  const url = `http://127.0.0.1:${port}${path}`
  const result = await autocannon({ url, headers: { host }, connections: 32, pipelining: 4, duration })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
  return {
    perSecond: result.requests.average,
    cpuMicroseconds: ((cpuSeconds(pid) - before) / result.requests.total) * 1e6,
  }
}
