/** Says whether node_modules holds what the lockfile and the package.json files ask for. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { inProject } from './project.mjs'

const stampFile = inProject('node_modules', '.quarterdeck-install')

/** What an install made from the files as they are now would be stamped with. */
export function wantedStamp() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const file of ['package-lock.json', 'package.json', ...workspaceFiles()]) {
    hash.update(`${file}\n`).update(contentOf(file)).update('\n')
  }
  return hash.digest('hex')
}

/** Whether the packages were installed from exactly these files. */
export function isInstalled() {
  return contentOf('node_modules/.quarterdeck-install') === wantedStamp()
}

/** Before an install: one that is broken off must not count. */
export function removeStamp() {
  rmSync(stampFile, { force: true })
}

/** @param {string} stamp */
export function writeStamp(stamp) {
  mkdirSync(dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, stamp)
}

/** @returns {string[]} */
function workspaceFiles() {
  const { workspaces = [] } = JSON.parse(contentOf('package.json') || '{}')
  return workspaces.map((/** @type {string} */ folder) => `${folder}/package.json`)
}

/**
 * A file that is not there reads as empty: it appearing later is a change like any other.
 * @param {string} file
 */
function contentOf(file) {
  try {
    return readFileSync(inProject(file), 'utf8')
  } catch {
    return ''
  }
}
