/** The demo’s projects in control: made once, each with a token for its deploys. */
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Fault, operations, type Project } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { runtimes } from '../init/runtimes.ts'
import { writeWhole } from '../install/whole-file.ts'
import { itemsOf } from '../pages.ts'
import { tokensOf } from '../token/find.ts'
import { remoteOf, type Sample, type SampleProject, samples, tokenFileOf } from './samples.ts'

const label = 'demo'

export const projectsOf = (operator: Api): Promise<Project[]> =>
  itemsOf(query => operator.call(operations.listProjects, { query }))

/** Whether it is the demo’s, and not another one of the same name. */
export const isDemos = (home: string, { name, git_url }: Project): boolean =>
  samples.some(
    sample => git_url === addressOf(home, sample) && sample.projects.some(project => project.name === name),
  )

/** False: it was archived, and so is not wanted. */
export async function addProject(
  operator: Api,
  home: string,
  sample: Sample,
  { name, group }: SampleProject,
): Promise<boolean> {
  const { repository, runtime } = sample
  const start = [...runtimes[runtime].start]
  const body = { name, group, repository, runtime, start, git_url: addressOf(home, sample) }
  try {
    await operator.call(operations.createProject, { body })
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 'project_exists') return false
    throw error
  }
}

/** A token that nobody has kept, because its maker was killed, is revoked. */
export async function ensureToken(
  operator: Api,
  home: string,
  sample: Sample,
  project: SampleProject,
): Promise<void> {
  const file = tokenFileOf(home, sample, project)
  if (existsSync(file)) return
  const { name } = project
  const lost = (await tokensOf(operator, name)).filter(token => token.label === label)
  for (const { id } of lost) await operator.call(operations.revokeToken, { params: { id } })
  const { token } = await operator.call(operations.createDeployToken, { params: { name }, body: { label } })
  writeWhole(file, `${token}\n`, { mode: 0o600, uid: process.getuid!(), gid: process.getgid!() })
}

/** An address, because a path may have spaces in it. */
const addressOf = (home: string, sample: Sample): string => pathToFileURL(remoteOf(home, sample)).href
