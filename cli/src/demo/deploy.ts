/** A deploy of one of the demo’s projects: the call that a CI job makes, with the project’s own token. */
import { operations, type Run } from '@quarterdeck/contract'
import { type Api, api } from '../api.ts'
import { type Sample, type SampleProject, tokenFileOf } from './samples.ts'

/** May deploy this project, see its runs, and nothing else. */
export const deployerOf = (home: string, sample: Sample, project: SampleProject): Api =>
  api({ home, tokenFile: tokenFileOf(home, sample, project) })

export const callWebhook = (
  deployer: Api,
  { repository }: Sample,
  { name }: SampleProject,
  ref: string,
): Promise<Run> =>
  deployer.call(operations.deploy, { params: { name }, body: { ref, project: repository } }) as Promise<Run>
