/**
 * The cgroup of a machine. Each needs one of its own: nspawn, told to keep the unit, puts its payload into a folder of
 * the cgroup that it was started in.
 */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { cgroupMount } from './machine-here.ts'
import { until } from './until.ts'

const folder = 'qd-test'
const emptyLimitMs = 5_000

export class MachineCgroup {
  /** As seen where cgroup2 alone is mounted at its usual place. */
  readonly inside: string
  readonly #path: string

  constructor(name: string) {
    this.inside = join('/sys/fs/cgroup', folder, name)
    this.#path = join(cgroupMount()!, folder, name)
  }

  make(): void {
    removeAbandoned()
    mkdirSync(this.#path, { recursive: true })
  }

  /** The machine's PID 1, as the host counts, from when systemd has taken its place. */
  leader(): number | undefined {
    const pids = readLines(join(this.#path, 'payload/init.scope/cgroup.procs'))
    // Generators run there as well, for a moment.
    return pids.map(Number).find(pid => {
      const status = readLines(`/proc/${pid}/status`)
      return status.includes('Name:\tsystemd') && status.some(line => /^NSpid:.*\t1$/.test(line))
    })
  }

  /** The kernel takes a moment to forget processes that have ended. */
  async remove(): Promise<void> {
    await until(`${this.#path} is empty`, () => removeTree(this.#path), emptyLimitMs)
    removeEmpty(join(this.#path, '..'))
  }
}

/** A test process that was killed took its machines with it, but not their cgroups. */
function removeAbandoned(): void {
  for (const path of globSync(join(cgroupMount()!, folder, 'qd-*'))) {
    const owner = path.match(/qd-(\d+)-\d+$/)?.[1]
    if (owner && !existsSync(`/proc/${owner}`)) removeTree(path)
  }
}

function removeTree(path: string): boolean {
  if (!existsSync(path)) return true
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(path, entry.name))
  }
  return removeEmpty(path)
}

function removeEmpty(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
