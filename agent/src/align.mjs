/**
 * Run by systemd before a project's unit starts: brings `current` into line with `work/`, so that checking out an earlier
 * commit there and restarting the unit is a rollback. Not while a run is open, and not if HEAD is what the agent itself put
 * there. A release that is not built yet is asked for, and `current` runs meanwhile: whatever happens here, the unit starts.
 * It imports next to nothing of ours, because every start waits for it.
 *
 * usage: align.mjs HOME PROJECT
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { headOf } from './head-of.mjs'

const [home = '', project = ''] = process.argv.slice(2)
const root = join(home, 'projects', project)
const agent = join(home, 'agent')

try {
  say(align())
} catch (error) {
  say(`not aligned: ${error instanceof Error ? error.message : error}`)
}

/** @returns {string | undefined} what was done, if anything */
function align() {
  if (existsSync(join(agent, 'open', project))) return undefined
  const head = headOf(join(root, 'work/.git'))
  if (!head || head === putByAgent() || head === inPlace()) return undefined
  if (!isReady(head)) {
    askFor(head)
    return `${head} is in work/ and not built yet: ${inPlace() ?? 'nothing'} runs until the agent has built it`
  }
  switchTo(head)
  return `aligned with work/: ${head}`
}

/** @returns {string | undefined} */
function putByAgent() {
  return JSON.parse(read(join(root, 'site.json')) ?? '{}').put
}

function inPlace() {
  try {
    return basename(readlinkSync(join(root, 'current')))
  } catch {
    return undefined
  }
}

/** Laid out, with an environment that is finished. @param {string} sha */
function isReady(sha) {
  const note = JSON.parse(read(join(root, 'releases', `${sha}.json`)) ?? '{}')
  const environment = join(root, 'environments', String(note.environment), '.complete')
  return existsSync(join(root, 'releases', sha, 'REVISION')) && existsSync(environment)
}

/** Of the agent, which sees it whole: in one rename. @param {string} sha */
function askFor(sha) {
  mkdirSync(join(agent, 'align'), { recursive: true, mode: 0o700 })
  const made = join(agent, `align-${project}.new`)
  writeFileSync(made, sha)
  renameSync(made, join(agent, 'align', project))
}

/** In one rename. @param {string} sha */
function switchTo(sha) {
  const made = join(root, 'current.aligned')
  rmSync(made, { force: true })
  symlinkSync(join('releases', sha), made)
  renameSync(made, join(root, 'current'))
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** @param {string | undefined} text */
function say(text) {
  if (text) process.stdout.write(`quarterdeck: ${text}\n`)
}
