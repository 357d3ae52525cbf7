/** What was made, and what to do next, as commands to copy. */
import { realpathSync } from 'node:fs'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'
import { joinWords } from '../words.ts'
import { firstMessage, type GitOutcome } from './first-commit.ts'
import { runtimes } from './runtimes.ts'
import { unknownOwner, type Wish } from './wish.ts'

export interface Made extends Wish {
  directory: string
  files: readonly string[]
  git: GitOutcome
}

/** `place` is the directory as seen from where the command was given. */
export function madeText(made: Made, place: string): string {
  const { green, bold, yellow } = colours(process.stdout)
  const { name, runtime, repository, git } = made
  const { title, tryIt } = runtimes[runtime]
  const blocks = [
    `${green('✓')} ${bold(name)}, a ${title} service: ${made.files.length} files in ${plain(place)}${committed(git)}.`,
    ...notes(made).map(note => `${yellow('!')} ${note}`),
    '',
    bold('Try it'),
    ...indented([...(place === '.' ? [] : [`cd ${joinWords([plain(place)])}`]), ...tryIt]),
    '',
    bold('Deploy it'),
    ...deploySteps(made).flatMap(([what, ...commands], i) => [`${i + 1}. ${what}`, ...indented(commands)]),
    '',
  ]
  if (repository.startsWith(`${unknownOwner}/`)) {
    blocks.push(`Put the owner of the repository where ${unknownOwner} stands, here and in README.md.`, '')
  }
  return blocks.join('\n')
}

const indented = (lines: readonly string[]) => lines.map(line => `   ${line}`)

const committed = (git: GitOutcome) =>
  git.state === 'begun' ? `, first commit ${git.commit.slice(0, 7)} on main` : ''

function notes({ git, directory, ...wish }: Made): string[] {
  if (git.state === 'uncommitted') {
    const settings = 'git config --global user.name …, git config --global user.email …'
    const mend = git.reason.includes('e-mail') ? ` Tell it (${settings}), then:` : ' When that is mended:'
    return [`There is no first commit: ${plain(git.reason)}.${mend}\n   ${commit(wish)}`]
  }
  if (git.state === 'unknown') return [`There is no first commit: ${plain(git.reason ?? '')}.`]
  if (git.state === 'inside' && git.top !== realpathSync(directory)) {
    return [
      `It lies inside the repository ${plain(git.top ?? '')}. Forges read workflows at the top of a repository only: move it there, or into one of its own.`,
    ]
  }
  return []
}

const commit = (wish: Pick<Wish, 'name' | 'runtime'>) => `git commit --message '${firstMessage(wish)}'`

function deploySteps({ name, repository, forge, runtime, git }: Made): string[][] {
  const add = ['qd', 'project', 'add', name, '--repository', repository]
  const where = ['--git', `https://${forge}/${repository}.git`, '--runtime', runtime, '--socket']
  const hasOrigin = git.state === 'inside' && git.origin !== undefined
  return [
    [
      'Where Quarterdeck runs, add the project and make a token for its deploy job:',
      [...add, ...where, '--', ...runtimes[runtime].start].join(' '),
      `qd token create ${name} --label ci`,
    ],
    [
      `In the forge, ${hasOrigin ? 'open' : 'make'} the repository ${repository}, and set two secrets (Settings, Secrets and variables, Actions):`,
      `DEPLOY_HOOK_URL   ${hookOf(name)}`,
      'DEPLOY_TOKEN      what `qd token create` printed',
    ],
    [
      'Push. The workflow Deploy shows the log, and is red exactly when the deploy failed:',
      ...(git.state === 'inside'
        ? ['git config core.hooksPath .githooks', `git add --all && ${commit({ name, runtime })}`]
        : []),
      ...(hasOrigin ? [] : [`git remote add origin https://${forge}/${repository}.git`]),
      'git push --set-upstream origin main',
    ],
  ]
}

/** Of the environment that this shell is set to, if any. */
function hookOf(name: string): string {
  const { origin } = URL.parse(process.env.QUARTERDECK_URL ?? '') ?? {}
  return `${origin ?? 'https://admin.YOUR-DOMAIN'}/api/deploy/${name}`
}
