/** One process at a time: a lock that names its holder, so that one left by a dead process is taken over. */
import { readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Stop } from './stop.mjs'

const pollMs = 100
const limitMs = 15 * 60 * 1000

/**
 * Runs `work` while holding the lock at `path`; waits for another holder to finish.
 * @template T
 * @param {string} path its folder must exist
 * @param {() => Promise<T>} work
 * @param {{ onWait?: (holder: string) => void }} [options] `onWait` is called once if somebody else holds it
 * @returns {Promise<T>}
 */
export async function withLock(path, work, { onWait } = {}) {
  await acquire(path, onWait)
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/**
 * @param {string} path
 * @param {((holder: string) => void) | undefined} onWait
 */
async function acquire(path, onWait) {
  const deadline = performance.now() + limitMs
  let said = false
  while (!take(path)) {
    const holder = holderOf(path)
    if (holder && !isAlive(holder)) {
      putAside(path, holder)
      continue
    }
    if (holder && !said) onWait?.(pidOf(holder))
    said ||= holder !== null
    if (performance.now() > deadline) {
      throw new Stop(
        `${path} is still held by process ${pidOf(holder ?? '')}. End that process and try again.`,
      )
    }
    await sleep(pollMs)
  }
}

/**
 * A symbolic link is made in one step together with its content, the holder: no half-written lock is ever seen.
 * @param {string} path
 */
function take(path) {
  try {
    symlinkSync(identityOf(process.pid), path)
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes a dead holder's lock. If somebody took it over in between, theirs is put back.
 * @param {string} path
 * @param {string} holder
 */
function putAside(path, holder) {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (holderOf(aside) === holder) rmSync(aside, { force: true })
  else renameSync(aside, path)
}

/** @param {string} path */
function holderOf(path) {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** @param {string} holder */
function pidOf(holder) {
  return holder.split('-')[0] ?? ''
}

/** @param {string} holder */
function isAlive(holder) {
  return identityOf(Number(pidOf(holder))) === holder
}

/**
 * Process ids are used again, so the time of its start belongs to it: field 22 of proc_pid_stat(5).
 * @param {number} pid
 */
function identityOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return `${pid}-${fields[19]}`
  } catch {
    return `${pid}-gone`
  }
}
