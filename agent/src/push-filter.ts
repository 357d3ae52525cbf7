/** Whether a forge's push has anything to deploy: the true difference of its commits, whatever the forge listed of it. */
import type { RunOrder } from '@quarterdeck/contract'
import { listed, shown } from './git-fault.ts'

export type OnlyFor = NonNullable<RunOrder['only_for']>

export interface PushFilter {
  readonly onlyFor: OnlyFor
  /** The commit that would be put in place. */
  readonly to: string
  /** Names of files that differ; null: the branch was rewritten since, or nobody knows that commit any more. */
  changedFiles(since: string, to: string): Promise<readonly string[] | null>
}

/** Why there is nothing to do; undefined: something that the project is deployed for has changed. */
export async function whyUnchanged({ onlyFor, to, changedFiles }: PushFilter): Promise<string | undefined> {
  for (const since of onlyFor.since) {
    const files = await changedFiles(since, to)
    // What cannot be compared may have changed in everything.
    if (files === null || files.some(file => isFor(file, onlyFor.paths))) return undefined
  }
  const from = onlyFor.since[0]!.slice(0, 7)
  const paths = listed(onlyFor.paths.map(shown))
  return `There is no change in ${paths} between ${from} and ${to.slice(0, 7)}.`
}

/** A path is a file, or a directory and all that is in it, which many write as `app/**`. */
export const isFor = (file: string, paths: readonly string[]): boolean =>
  paths
    .map(path => path.replace(/^\.\//, '').replace(/\/\*\*$/, '/'))
    .some(path => file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`))
