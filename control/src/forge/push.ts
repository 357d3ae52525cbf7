/** What a push means for a project: something to look at, or nothing, and why. */
import { Fault, type ForgePush, maskSecrets } from '@quarterdeck/contract'
import type { Projects, StoredProject } from '#projects'

const longestName = 60
const longestBranch = 200

/** Why nothing is done for it; undefined: the machine is asked. */
export function whyIgnored({ ref, after, deleted }: ForgePush, project: StoredProject): string | undefined {
  const { name, branch } = project
  const [, kind, short = ''] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? []
  const pushed = plain(short, longestBranch)
  if (kind === 'tags') return `${pushed} is a tag, and ${name} is deployed from the branch ${branch}.`
  if (kind !== 'heads') return `The push is to no branch, and ${name} is deployed from ${branch}.`
  if (short !== branch) return `The push is to ${pushed}, and ${name} is deployed from ${branch}.`
  if (deleted || isNone(after)) return `${branch} was deleted: what runs of ${name} stays as it is.`
  return undefined
}

/** As the deploy webhook refuses it. */
export function refuseOtherRepository(
  projects: Projects,
  project: StoredProject,
  { repository }: ForgePush,
): void {
  if (projects.repositoryMatches(project, repository.full_name)) return
  throw new Fault('invalid_fields', `${repository.full_name} is not the repository of ${project.name}.`, {
    fields: [{ field: 'repository.full_name', message: 'must be this project’s repository' }],
  })
}

/** Where the branch was; undefined: it is new, and so is everything on it. */
export const beforeOf = ({ before }: ForgePush): string | undefined => (isNone(before) ? undefined : before)

/** Data, whatever it is: one line for people. */
export function pusherOf({ pusher }: ForgePush): string {
  const { login, username, name } = pusher ?? {}
  return plain(login || username || name || '', longestName) || 'somebody'
}

const isNone = (sha: string) => /^0+$/.test(sha)

/** Neither control characters nor such that change how the rest is read. */
const plain = (text: string, atMost: number): string =>
  maskSecrets(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ''))
    .slice(0, atMost)
    .toWellFormed()
    .trim()
