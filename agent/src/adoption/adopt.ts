/**
 * Adopts units that are there: proves that what runs is what is checked out, and only then takes them over. From then on
 * the project is deployed, verified and taken back like every other, in place.
 */
import {
  type Adoption,
  type Candidate,
  noVariables,
  type PlacedProject,
  RunFault,
} from '@quarterdeck/contract'
import type { Machine } from '../machine.ts'
import { type Program, run } from '../runner.ts'
import { Site } from '../site.ts'
import type { ForeignUnits } from '../units/unit-engine.ts'
import { verify } from '../verify.ts'
import { candidatesOn, foreignOf } from './candidates.ts'
import { keepOwnEnvironment, ownEnvironment, restoreOwnEnvironment } from './own-environment.ts'

const limitMs = 50_000

/** The same again does nothing more. Throws `not_adoptable` and has then changed nothing. */
export async function adopt(machine: Machine, project: PlacedProject): Promise<void> {
  const { adopted, name } = project
  if (!adopted) throw new Error(`${name} is not to be adopted`)
  const foreign = foreignOf(machine)
  const site = new Site(machine, name, adopted)
  const { proven } = site.state
  if (proven) return refuseOther(name, adopted, proven.project.adopted)
  refuseObstacles(await candidatesOn(machine), adopted)
  const sha = site.releases.current()
  if (sha === null) throw refusal(`No commit is checked out in ${adopted.work}.`)
  await prove(machine, foreign, project, sha)
  await takeOver(machine, site, project, sha)
}

/** After a crash in the middle of it: control never heard of it, so it never was. */
export function undoHalfAdopted(machine: Machine, name: string): void {
  const site = new Site(machine, name)
  const { adopting } = site.state
  if (!adopting) return
  restoreOwnEnvironment(adopting)
  site.remember({ adopting: null })
  machine.log.warn({ project: name }, 'an adoption was cut short; adopt it again')
}

/** The units are known from here on; forgotten again, as they are, if what they run is not what is checked out. */
async function prove(machine: Machine, foreign: ForeignUnits, project: PlacedProject, sha: string) {
  const { units, timing, clock } = machine
  const limits = { ...project, health: { timeout_s: Math.min(project.health.timeout_s, 15) } }
  try {
    await Promise.all(project.processes.map(process => foreign.take(project, process)))
    const subject = { units, project: limits, sha, address: machine.address(), timing, clock }
    await verify(subject, AbortSignal.timeout(limitMs))
  } catch (error) {
    await units.remove(project.name)
    if (!(error instanceof RunFault)) throw error
    throw refusal(`What runs does not prove to be what is checked out: ${error.message}`)
  }
}

async function takeOver(machine: Machine, site: Site, project: PlacedProject, sha: string): Promise<void> {
  const ask = (program: Program) =>
    run(program, { signal: AbortSignal.timeout(limitMs), timeoutMs: limitMs, tag: `adopt:${project.name}` })
  const adopted = project.adopted!
  try {
    await site.prepare(ask)
    await site.releases.make(sha, ask, project)
    site.remember({ adopting: adopted })
    keepOwnEnvironment(adopted, site.layout)
    site.releases.uses(sha, ownEnvironment)
    site.releases.verified(sha, ownEnvironment)
    site.remember({
      adopting: null,
      put: sha,
      proven: { sha, environment: ownEnvironment, variables: noVariables, project },
    })
  } catch (error) {
    await machine.units.remove(project.name)
    throw error instanceof RunFault ? refusal(error.message) : error
  }
}

function refuseOther(name: string, wanted: Adoption, there: Adoption | null): void {
  if (JSON.stringify(there) === JSON.stringify(wanted)) return
  throw refusal(`There is another project ${name} on this machine already; choose another name.`)
}

function refuseObstacles(candidates: readonly Candidate[], adopted: Adoption): void {
  for (const unit of Object.values(adopted.units)) {
    const found = candidates.find(candidate => candidate.unit === unit)
    if (!found) throw refusal(`There is no ${unit} on this machine that others have made.`)
    if (found.obstacles.length > 0) throw refusal(found.obstacles.join(' '))
    const differs = (['work', 'environment', 'user'] as const).find(key => found[key] !== adopted[key])
    if (differs) throw refusal(`${unit} has another ${differs}: ${found[differs] ?? 'none'}.`)
  }
}

const refusal = (message: string) => new RunFault('not_adoptable', message)
