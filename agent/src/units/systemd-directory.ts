/** The directory of the machine's unit files, which is the operator's as well: what is not ours is never touched. */
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { RunFault, sealOf } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { removeFile, writeWhole } from '../whole-file.ts'

const kinds = ['.timer', '.socket', '.service', '_align.service'] as const

const targets: Readonly<Record<string, string>> = {
  '.service': 'multi-user.target',
  '.socket': 'sockets.target',
  '.timer': 'timers.target',
}

type Found = { text: string; seal: ReturnType<typeof sealOf> } | 'masked' | 'link' | 'none'

export class UnitDirectory {
  readonly #path: string
  readonly #clock: Clock
  readonly #log: Logger

  constructor(path: string, clock: Clock, log: Logger) {
    this.#path = path
    this.#clock = clock
    this.#log = log
  }

  /** Those of a unit's files that are ours: the ones that activate it first. */
  filesOf(name: string): string[] {
    return kinds.map(kind => `${name}${kind}`).filter(file => isOurs(this.#find(file)))
  }

  /** Every service of ours that is there, whoever knows of it. */
  services(): string[] {
    const names = readdirSync(this.#path).filter(file => /^qd-[a-z0-9.-]+\.service$/.test(file))
    return names.filter(file => isOurs(this.#find(file)))
  }

  /** Writes what differs, and says which; `restart_failed` before the first one if one is not ours to write. */
  put(files: Readonly<Record<string, string>>): string[] {
    for (const file of Object.keys(files)) this.#refuse(file)
    return Object.entries(files).flatMap(([file, text]) => (this.#write(file, text) ? [file] : []))
  }

  /** Whether it comes up with the machine: asked of the disk, because systemd answers from what it read last. */
  isEnabled(file: string): boolean {
    const target = targets[extname(file)] ?? ''
    return lstatSync(join(this.#path, `${target}.wants`, file), { throwIfNoEntry: false }) !== undefined
  }

  /** Whether each is there just so. */
  holds(files: Readonly<Record<string, string>>): boolean {
    return Object.entries(files).every(([file, text]) => {
      const found = this.#find(file)
      return typeof found === 'object' && found.text === text
    })
  }

  remove(file: string): void {
    const found = this.#find(file)
    if (typeof found !== 'object' || found.seal === 'foreign') return
    if (found.seal === 'edited') this.#keepEdited(file)
    removeFile(join(this.#path, file))
  }

  #write(file: string, text: string): boolean {
    const found = this.#find(file)
    if (typeof found === 'object' && found.text === text) return false
    if (typeof found === 'object' && found.seal === 'edited') this.#keepEdited(file)
    // A drop-in has a directory of its own.
    mkdirSync(dirname(join(this.#path, file)), { recursive: true, mode: 0o755 })
    writeWhole(join(this.#path, file), text, 0o644)
    return true
  }

  #refuse(file: string): void {
    const path = join(this.#path, file)
    const found = this.#find(file)
    if (found === 'masked')
      throw new RunFault('restart_failed', `${file} is masked; "systemctl unmask ${file}" allows it again.`)
    if (found === 'link' || (typeof found === 'object' && found.seal === 'foreign'))
      throw new RunFault(
        'restart_failed',
        `${path} is there and was not made by Quarterdeck; move it away, or adopt it.`,
      )
  }

  #keepEdited(file: string): void {
    const time = this.#clock
      .now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')
    const kept = join(this.#path, `${file}.edited-${time}`)
    copyFileSync(join(this.#path, file), kept)
    this.#log.warn(
      { file, kept },
      'the unit file was edited by hand; the edited one is kept beside, and no longer in use',
    )
  }

  #find(file: string): Found {
    const path = join(this.#path, file)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return 'none'
    if (stat.isSymbolicLink()) return readlinkSync(path) === '/dev/null' ? 'masked' : 'link'
    const text = readFileSync(path, 'utf8')
    // An empty file masks as well.
    return text === '' ? 'masked' : { text, seal: sealOf(text) }
  }
}

const isOurs = (found: Found) => typeof found === 'object' && found.seal !== 'foreign'
