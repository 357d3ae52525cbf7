/** What a deploy and a rollback add to a bare script that does the same without proof, record or way back. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figure, median } from '../figure.ts'
import { startEnvironment } from '../process.ts'
import { BareScript } from './bare.ts'
import { call, freePort, remote, scratch } from './place.ts'

const rounds = 9

interface Bench {
  push(files?: Record<string, string | null>): string
  bare: BareScript
  ask(
    path: string,
    body: unknown,
  ): Promise<{ ms: number; status: number; run: { kind: string; restored_sha: string } }>
}

export const deployFigures: Figure[] = [
  {
    name: 'deploy − bare script',
    goal: '<= 150 ms',
    measure: () =>
      withBench(async bench => {
        const pairs = []
        for (let round = 0; round <= rounds; round++) {
          const ref = bench.push()
          const bare = await timed(() => bench.bare.deploy())
          const { ms, status } = await bench.ask('/api/projects/bench/runs', { ref })
          if (status !== 200) throw new Error(`the deploy was answered with ${status}`)
          pairs.push({ bare, ours: ms })
        }
        return added(pairs.slice(1), 150)
      }),
  },
  {
    name: 'rollback − restart and poll',
    goal: '<= 100 ms',
    measure: () =>
      withBench(async bench => {
        const refs = [bench.push(), bench.push()]
        await bench.ask('/api/projects/bench/runs', {})
        await bench.bare.deploy()
        const pairs = []
        for (let round = 0; round <= rounds; round++) {
          const bare = await timed(() => bench.bare.restart())
          const { ms, status } = await bench.ask('/api/projects/bench/rollback', { to: refs[round % 2] })
          if (status !== 200) throw new Error(`the rollback was answered with ${status}`)
          pairs.push({ bare, ours: ms })
        }
        // The first two build the releases that the others go back to.
        return added(pairs.slice(2), 100)
      }),
  },
  {
    name: 'bad commit: old one back',
    goal: '<= 5 s',
    measure: () =>
      withBench(async bench => {
        bench.push()
        await bench.ask('/api/projects/bench/runs', {})
        const times = []
        for (let round = 0; round < 5; round++) {
          const ref = bench.push({ exits: 'yes' })
          const { ms, status, run } = await bench.ask('/api/projects/bench/runs', { ref })
          if (status !== 424 || !run.restored_sha) throw new Error('the bad commit was not taken back')
          times.push(ms)
        }
        const slowest = Math.max(...times)
        return {
          reached: slowest <= 5000,
          value: `${(slowest / 1000).toFixed(1)} s`,
          details: `the slowest of ${times.length}, from the call to the proof that the old one serves again`,
        }
      }),
  },
]

function added(pairs: { bare: number; ours: number }[], goalMs: number) {
  const ms = median(pairs.map(({ bare, ours }) => ours - bare))
  const [bare, ours] = [median(pairs.map(pair => pair.bare)), median(pairs.map(pair => pair.ours))]
  return {
    reached: ms <= goalMs,
    value: `${Math.round(ms)} ms`,
    details: `ours ${Math.round(ours)} ms, bare ${Math.round(bare)} ms, both with three looks 1 s apart; median of ${pairs.length} pairs`,
  }
}

async function withBench<T>(measure: (bench: Bench) => Promise<T>): Promise<T> {
  const { directory, remove } = scratch()
  const { url, push } = remote(directory)
  push()
  const environment = await startEnvironment()
  const token = readFileSync(join(environment.home, 'operator.token'), 'utf8').trim()
  const access = { port: environment.port, token }
  const bare = new BareScript(directory, url, await freePort())
  const made = await call(access, 'POST', '/api/projects', {
    name: 'bench',
    repository: 'acme/bench',
    git_url: url,
    runtime: 'python',
    interpreter: '/usr/bin/python3',
    start: ['python', '-m', 'app'],
    port: await freePort(),
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.json))
  try {
    return await measure({
      push,
      bare,
      async ask(path, body) {
        const startedMs = performance.now()
        const { status, json } = await call(access, 'POST', path, body, { prefer: 'wait=120' })
        return { ms: performance.now() - startedMs, status, run: json.run ?? json }
      },
    })
  } finally {
    await bare.stop()
    await call(access, 'DELETE', '/api/projects/bench')
    await environment.stop()
    remove()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
