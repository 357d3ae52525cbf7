/** What a project takes on disk over 1,000 deploys: releases go when there are too many or they take too much. */
import { execFileSync } from 'node:child_process'
import { randomUUIDv7 } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type FromAgent, linkPair, type PlacedProject } from '@quarterdeck/contract'
import { pino } from 'pino'
import { start } from '../../agent/src/main.ts'
import type { Figure } from '../figure.ts'
import { freePort, remote, scratch } from './place.ts'

const deploys = 1000
/** What the releases may take here, so that the limit is met early. */
const releaseBytes = 4 * 1024 * 1024
/** Each commit's own, so that a thousand of them would take fifty times the limit. */
const contentBytes = 200 * 1024

export const diskUse: Figure = {
  name: 'disk after 1,000 deploys',
  goal: '<= 1.5 × after 100',
  async measure() {
    const { directory, remove } = scratch()
    const home = join(directory, 'home')
    mkdirSync(home)
    const { url, push } = remote(directory)
    const project = await placed(url)
    const agent = await start({
      home,
      name: 'bench',
      root: home,
      log: pino({ level: 'silent' }),
      // What is measured is what stays, so nobody waits for a second look.
      timing: { times: 1, apartMs: 0, pollMs: 5 },
      limits: { releaseBytes },
    })
    const [here, there] = linkPair()
    const outcomes = new Map<string, (status: string) => void>()
    here.onMessage(text => {
      const message = JSON.parse(text) as FromAgent
      if (message.type !== 'run_ended') return
      here.send(JSON.stringify({ type: 'recorded', run_id: message.progress.run_id }))
      outcomes.get(message.progress.run_id)?.(message.outcome.status)
    })
    agent.connect(there)
    const bytes: number[] = []
    for (let i = 1; i <= deploys; i++) {
      const ref = push({ content: String(i % 10).repeat(contentBytes) })
      const order = { id: randomUUIDv7(), kind: 'deploy', ref, sent_before: [], discard: false, project }
      const ended = new Promise<string>(resolve => outcomes.set(order.id, resolve))
      here.send(JSON.stringify({ type: 'run', order, log_after: 0 }))
      if ((await ended) !== 'succeeded') throw new Error(`deploy ${i} did not succeed`)
      outcomes.delete(order.id)
      if (i === 100 || i === deploys) bytes.push(bytesIn(home))
    }
    here.send(
      JSON.stringify({ type: 'ask', id: randomUUIDv7(), question: { what: 'remove', project: 'bench' } }),
    )
    await new Promise(resolve => setTimeout(resolve, 1000))
    await agent.stop()
    remove()
    const [early = 0, late = 0] = bytes
    return {
      reached: late <= early * 1.5,
      value: `${(late / early).toFixed(2)} ×`,
      details: `${megabytes(early)} MB after 100, ${megabytes(late)} MB after ${deploys}: releases, environments, working copy with its history, journals and logs`,
    }
  },
}

const placed = async (url: string): Promise<PlacedProject> => ({
  name: 'bench',
  git_url: url,
  branch: 'main',
  runtime: 'python',
  interpreter: '/usr/bin/python3',
  processes: [
    { name: 'web', start: ['python', '-m', 'app'], port: await freePort(), timer: null, socket: false },
  ],
  before_restart: null,
  linked_paths: [],
  health: { timeout_s: 30 },
  limits: { fetch_s: 60, install_s: 60, before_restart_s: 60, restart_s: 60 },
  adopted: null,
})

const bytesIn = (directory: string): number =>
  Number(execFileSync('du', ['--summarize', '--bytes', directory], { encoding: 'utf8' }).split('\t')[0])

const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(1)
