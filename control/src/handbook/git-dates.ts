/** When each file of a folder was last changed, as git tells it; files that it does not know have their own time. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const limitMs = 10_000
const commitsAtMost = 5000

export class GitDates {
  readonly #folder: string
  #head = ''
  #dates: ReadonlyMap<string, string> = new Map()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** By path in the folder. Asked again only when a commit was made since. */
  async read(): Promise<ReadonlyMap<string, string>> {
    const head = (await this.#git('rev-parse', 'HEAD'))?.trim() ?? ''
    if (head === this.#head) return this.#dates
    this.#head = head
    const log =
      head &&
      (await this.#git(
        'log',
        `--max-count=${commitsAtMost}`,
        '--format=%x00%cI',
        '--name-only',
        '--relative',
        '-z',
        '--',
        '.',
      ))
    this.#dates = log ? datesIn(log) : new Map()
    return this.#dates
  }

  async #git(...args: string[]): Promise<string | undefined> {
    const settings = [
      '-c',
      'core.fsmonitor=false',
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'core.quotePath=false',
    ]
    try {
      const { stdout } = await run('git', ['-C', this.#folder, ...settings, ...args], {
        timeout: limitMs,
        maxBuffer: 32 * 1024 * 1024,
        env: { PATH: process.env.PATH, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
      })
      return stdout
    } catch {
      return undefined
    }
  }
}

/** Each commit is an empty field, its time, a line feed and its files, all ended by NUL. The newest comes first. */
function datesIn(log: string): Map<string, string> {
  const dates = new Map<string, string>()
  let time = ''
  for (const field of log.split('\0')) {
    const text = field.replace(/^\n/, '')
    if (/^\d{4}-\d\d-\d\dT\S+$/.test(text)) time = new Date(text).toISOString().replace('.000Z', 'Z')
    else if (text !== '' && time !== '' && !dates.has(text)) dates.set(text, time)
  }
  return dates
}
