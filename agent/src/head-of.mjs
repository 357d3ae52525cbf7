/**
 * Which commit is checked out, read from git's files without starting git: for what must be quick. It imports nothing of
 * ours, because `align.mjs` runs before every start.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** On a branch, or by itself. @param {string} git the directory `.git` @returns {string | undefined} */
export function headOf(git) {
  const head = read(join(git, 'HEAD'))
  const ref = head?.match(/^ref: (refs\/(?!.*\.\.)\S+)$/)?.[1]
  const sha = ref ? (read(join(git, ref)) ?? packed(git, ref)) : head
  return sha && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) ? sha : undefined
}

/** Undefined: none is, a commit was checked out by itself. @param {string} git @returns {string | undefined} */
export function branchOf(git) {
  return read(join(git, 'HEAD'))?.match(/^ref: refs\/heads\/(\S+)$/)?.[1]
}

/** @param {string} git @param {string} ref */
function packed(git, ref) {
  const lines = read(join(git, 'packed-refs'))?.split('\n')
  return lines?.find(line => line.endsWith(` ${ref}`))?.split(' ')[0]
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
