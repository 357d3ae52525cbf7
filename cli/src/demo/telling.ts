/** How the demo tells of itself: in lines for people on a terminal, in the log elsewhere. */
import type { Run } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'
import { shortSha } from '../run/ending.ts'
import { between } from '../when.ts'
import { joinWords } from '../words.ts'
import { cloneOf, type Sample, type SampleProject, samples } from './samples.ts'

export interface Telling {
  note(text: string): void
  runs(project: SampleProject, url: string, ended: Run): void
  /** What is left out, and what mends it. */
  bad(text: string, remedy: string): void
  /** How to change a sample and see it deployed. */
  invite(home: string, sample: Sample): void
}

const nameWidth = Math.max(...samples.flatMap(({ projects }) => projects.map(({ name }) => name.length)))
const groupWidth = 'development'.length

export const telling = (log: Logger, forPeople: boolean): Telling => (forPeople ? onTerminal() : inLog(log))

function onTerminal(): Telling {
  const { bold, cyan, dim, green, yellow } = colours(process.stdout)
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  return {
    note: text => say(dim(`  ${plain(text)}`)),
    runs: ({ name, group }, url, { sha, started_at, ended_at }) => {
      const took = dim(`${shortSha(sha)}, proven healthy after ${between(started_at, ended_at)}`)
      say(`${green('✓')} ${name.padEnd(nameWidth)}  ${group.padEnd(groupWidth)}  ${cyan(url)}  ${took}`)
    },
    bad: (text, remedy) => say(`${yellow('!')} ${plain(text)}\n  ${dim(plain(remedy))}`),
    invite: (home, sample) =>
      say(
        `\n${bold('Push a change and watch it deploy')}, from another terminal:\n\n${commandsOf(home, sample)
          .map(line => `  ${line}`)
          .join('\n')}\n`,
      ),
  }
}

const inLog = (log: Logger): Telling => ({
  note: text => log.info(`demo: ${text}`),
  runs: ({ name, group }, url, { sha }) =>
    log.info({ project: name, group, sha, url }, 'demo: a project runs'),
  bad: (text, remedy) => log.warn({ remedy }, `demo: ${text}`),
  invite: (home, sample) =>
    log.info({ commands: commandsOf(home, sample) }, 'demo: push a change and watch it deploy'),
})

/** To copy as they are. */
export const commandsOf = (home: string, sample: Sample): string[] => [
  `cd ${joinWords([plain(cloneOf(home, sample))])}`,
  `sed -i 's/Hello, world/Ahoy, world/' ${sample.file}`,
  `git commit --all --message 'feat: greet as sailors do' && git push`,
]
