/** A link in a release that leads to its environment. The commit's tree is written by others: nothing of it is replaced. */
import { lstat, readlink, rename, rm, symlink } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'

/**
 * Makes or replaces the link, relative and in one rename. False: something is there whose target begins
 * with none of `ours`, so it is the commit's own and stays.
 */
export async function putLink(link: string, target: string, ours: readonly string[]): Promise<boolean> {
  const there = await leadsTo(link)
  if (there === target) return true
  if (!isOurs(there, ours)) return false
  const made = `${link}.new-link`
  await rm(made, { recursive: true, force: true })
  await symlink(relative(dirname(link), target), made)
  await rename(made, link)
  return true
}

/** Whether the place is free for a link of ours, or has one. */
export async function isFree(link: string, ours: readonly string[]): Promise<boolean> {
  return isOurs(await leadsTo(link), ours)
}

/** Undefined: nothing is there. Null: what is there is no link. */
async function leadsTo(link: string): Promise<string | null | undefined> {
  const status = await lstat(link).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!status) return undefined
  return status.isSymbolicLink() ? resolve(dirname(link), await readlink(link)) : null
}

const isOurs = (there: string | null | undefined, ours: readonly string[]): boolean =>
  there === undefined || ours.some(prefix => there?.startsWith(prefix))
