/** What the agent says of itself: whether it can do its job, what it has done, what it keeps running. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunOutcome, UnitState } from '@quarterdeck/contract'
import { Kit } from '@quarterdeck/kit'
import { Counter, Gauge } from 'prom-client'
import { showDisk } from './disk.ts'
import type { Machine } from './machine.ts'

const outcomes = ['succeeded', 'failed', 'superseded', 'cancelled'] as const
const states = ['running', 'stopped', 'failed', 'waiting'] as const satisfies readonly UnitState[]

export interface SelfOptions {
  machine: Machine
  /** Where the code lies, to tell its commit. */
  root: string
  isConnected(): boolean
}

export interface Self {
  readonly kit: Kit
  /** A run has ended on this machine. */
  ended(outcome: RunOutcome): void
}

export function selfOf({ machine, root, isConnected }: SelfOptions): Self {
  const { log, clock, agentHome } = machine
  const kit = new Kit({
    name: 'agent',
    root,
    clock,
    checks: {
      control: () => {
        if (!isConnected()) throw new Error('control is not connected')
      },
      home: () => tryHome(agentHome),
    },
    onReadinessChange: ({ ok, checks }) =>
      ok ? log.info('the agent is ready') : log.warn({ checks }, 'the agent is not ready'),
  })
  const runs = countRuns(kit)
  showUnits(kit, machine)
  showDisk(kit, machine)
  return { kit, ended: ({ status }) => runs.inc({ outcome: status }) }
}

/** What is about to be done is written down first: without a place for that nothing is done. */
async function tryHome(agentHome: string): Promise<void> {
  const file = join(agentHome, `usable.${process.pid}`)
  await writeFile(file, 'The agent can write here.\n', { mode: 0o600 })
  await rm(file, { force: true })
}

/** Zero is told too, so that the first of a kind is seen as an increase. */
function countRuns({ metrics }: Kit): Counter<'outcome'> {
  const runs = new Counter({
    name: 'quarterdeck_agent_runs_total',
    help: 'Runs that have ended on this machine since the agent started',
    labelNames: ['outcome'],
    registers: [metrics.registry],
  })
  for (const outcome of outcomes) runs.inc({ outcome }, 0)
  return runs
}

function showUnits({ metrics }: Kit, { units }: Machine): void {
  new Gauge({
    name: 'quarterdeck_agent_units',
    help: 'Units of projects on this machine',
    labelNames: ['state'],
    registers: [metrics.registry],
    collect() {
      const all = units.list()
      for (const state of states) this.set({ state }, all.filter(unit => unit.state === state).length)
    },
  })
}
