/** A journal whose agent is killed, as by a power cut, right before or after one of its entries. */
import { existsSync, readFileSync } from 'node:fs'
import { openJournal } from '../../agent/src/journal.ts'

/** Until it is taken away, this file names the entry: `switching before`. */
export const killAtFile = (home: string) => `${home}/kill-at`

export const killingJournal =
  (home: string): typeof openJournal =>
  async file => {
    const journal = await openJournal(file)
    const die = (entry: string, when: 'before' | 'after') => {
      const at = existsSync(killAtFile(home)) ? readFileSync(killAtFile(home), 'utf8') : ''
      if (at === `${entry} ${when}`) process.kill(process.pid, 'SIGKILL')
    }
    return {
      get entries() {
        return journal.entries
      },
      async write(entry) {
        die(entry.entry, 'before')
        await journal.write(entry)
        die(entry.entry, 'after')
      },
      close: () => journal.close(),
    }
  }
