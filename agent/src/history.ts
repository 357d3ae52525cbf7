/** Which commit lies behind which. */
import { isAncestor } from './commands/git.ts'
import type { GitPlace } from './commands/git-call.ts'
import { gitFault, type Run } from './git-fault.ts'

export class History {
  readonly #git: GitPlace
  readonly #run: Run
  /** Asked at most once for the same two commits: how they lie to each other never changes. */
  readonly #known = new Map<string, Promise<boolean>>()

  constructor(git: GitPlace, run: Run) {
    this.#git = git
    this.#run = run
  }

  /** Whether `newer` is `older` or has it behind itself. */
  isIn(older: string, newer: string): Promise<boolean> {
    const answer = this.#known.get(`${older} ${newer}`) ?? this.#ask(older, newer)
    this.#known.set(`${older} ${newer}`, answer)
    return answer
  }

  async #ask(older: string, newer: string): Promise<boolean> {
    if (older === newer) return true
    const finished = await this.#run(isAncestor(this.#git, older, newer))
    if (finished.code === 0 || finished.code === 1) return finished.code === 0
    // What runs may be a commit that is no longer in the repository: nothing is known to lie behind it.
    if (/not a valid commit/i.test(finished.stderr)) return false
    throw gitFault(finished, 'working_copy_broken')
  }
}
