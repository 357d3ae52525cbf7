/** Units that are on the machines already: which could be adopted, and the adopting itself. It takes its time, so it happens outside of transactions. */
import { type CandidatePage, candidate, Fault, type ProjectCreate } from '@quarterdeck/contract'
import type { Fleet } from '#fleet'
import { noneBusy } from './ports.ts'
import type { Projects } from './projects.ts'
import { settingsFrom } from './settings.ts'
import { placedOf } from './stored-project.ts'

/** What runs has to prove itself first. */
const adoptLimitMs = 60_000

/** By machine and unit; of one machine, or of all that are connected. */
export async function listCandidates(fleet: Fleet, machine: string | undefined): Promise<CandidatePage> {
  const known = fleet.machines.map(({ name }) => name)
  if (machine !== undefined && !known.includes(machine))
    throw new Fault('invalid_fields', `There is no machine ${machine}.`, {
      fields: [{ field: 'machine', message: `must be one of ${known.join(', ')}` }],
    })
  const asked = machine === undefined ? known.filter(name => fleet.isConnected(name)) : [machine]
  const found = await Promise.all(
    asked.map(async name => {
      const units = candidate.array().parse(await fleet.ask(name, { what: 'candidates' }))
      return units.map(unit => ({ machine: name, ...unit }))
    }),
  )
  return { items: found.flat(), next_cursor: null }
}

/** On every machine that the project belongs on. A machine that had done it before does nothing more. */
export async function adoptUnits(projects: Projects, fleet: Fleet, body: ProjectCreate): Promise<void> {
  // What the registry would refuse must not have changed anything on a machine.
  const settings = await projects.store.read(transaction =>
    projects.wouldCreate(transaction, settingsFrom(body), noneBusy),
  )
  const machines = fleet.placement(settings)
  if (machines.length === 0)
    throw new Fault('machine_unreachable', `There is no machine for the project ${body.name}.`)
  const project = placedOf(settings)
  for (const { name } of machines) await fleet.ask(name, { what: 'adopt', project }, adoptLimitMs)
}
