/** Everything in a release that decides what a Python environment holds, gathered from `requirements.txt` on. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { findLinksPrints, isInside, localPath, packagePrints } from './local-packages.ts'
import { words } from './pip-settings.ts'
import { type RequirementLine, requirementLines } from './requirement-lines.ts'

const maxListBytes = 1024 * 1024
const maxLists = 100

export interface Requirements {
  /** The lists, by their path in the release, in the order they were first read. */
  readonly lists: readonly string[]
  /** How many are asked for; constraints ask for nothing. */
  readonly count: number
  /** What identifies them: the lines of each list, and the fingerprints of what they name in the release. */
  readonly identity: readonly (readonly string[])[]
}

interface Reading {
  /** Its real path. */
  readonly release: string
  readonly variables: Readonly<Record<string, string>>
  /** As often as they are named: pip reads them as often, too, so that is what is bounded. */
  readonly lists: string[]
  readonly identity: string[][]
  count: number
}

/** A line that names another list. */
interface Source {
  readonly list: string
  readonly line: number
}

/**
 * Reads `requirements.txt` and what it names; without one there is nothing to install. `variables` are those of the
 * installer. Throws `install_failed` for a list that is missing, too large, outside the release or within itself.
 */
export async function readRequirements(
  release: string,
  variables: Readonly<Record<string, string>>,
): Promise<Requirements> {
  const reading: Reading = { release: await realpath(release), variables, lists: [], identity: [], count: 0 }
  const first = join(reading.release, 'requirements.txt')
  if (await stat(first).catch(() => null)) await readList(reading, first, false, [])
  for (const links of words(variables.PIP_FIND_LINKS))
    reading.identity.push(...(await findLinksPrints(reading.release, links, reading.release)))
  return { lists: [...new Set(reading.lists)], count: reading.count, identity: reading.identity }
}

/** `from` leads from `requirements.txt` here. */
async function readList(reading: Reading, path: string, constraint: boolean, from: readonly Source[]) {
  const list = relative(reading.release, path)
  const wrong = await whatIsWrongWith(reading, path, list, from)
  if (wrong) throw refused(list, wrong, from)
  reading.lists.push(list)
  const lines = requirementLines(decoded(await readFile(path)), reading.variables)
  reading.identity.push(['list', list, String(constraint), ...lines.map(line => line.text)])
  for (const line of lines) await readLine(reading, line, constraint, [...from, { list, line: line.number }])
}

/** pip itself would go round in circles, and read whatever file of the machine it is pointed at. */
async function whatIsWrongWith(reading: Reading, path: string, list: string, from: readonly Source[]) {
  if (!isInside(reading.release, path)) return 'is outside the release'
  const real = await realpath(path).catch(() => null)
  if (real === null) return 'is not in the release'
  if (!isInside(reading.release, real)) return 'leads out of the release'
  const status = await stat(real)
  if (!status.isFile()) return 'is not a file'
  if (status.size > maxListBytes) return 'is larger than 1 MiB'
  if (from.some(source => source.list === list)) return 'leads back here'
  return reading.lists.length >= maxLists ? `is more than the ${maxLists}th list` : undefined
}

/** With the marks that editors on Windows leave; PowerShell's `pip freeze > requirements.txt` is UTF-16. */
function decoded(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2)
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

async function readLine(
  reading: Reading,
  line: RequirementLine,
  constraint: boolean,
  from: readonly Source[],
): Promise<void> {
  const { release, identity } = reading
  const directory = dirname(join(release, from.at(-1)!.list))
  const asked = line.requirement ?? line.editable
  if (asked !== undefined) {
    if (!constraint) reading.count++
    identity.push(...(await packagePrints(release, asked, line.editable !== undefined)))
  }
  for (const links of line.findLinks) identity.push(...(await findLinksPrints(release, links, directory)))
  // A list on the net is pip's to fetch. Like a version that is not pinned, it counts by its name alone.
  if (!line.list || /^https?:/i.test(line.list.path)) return
  await readList(reading, resolve(directory, localPath(line.list.path)), line.list.constraint, from)
}

function refused(list: string, what: string, from: readonly Source[]): RunFault {
  const source = from.at(-1)
  const sentence = source
    ? `${source.list} line ${source.line} names ${list}, which ${what}.`
    : `${list} ${what}.`
  return new RunFault('install_failed', sentence)
}
