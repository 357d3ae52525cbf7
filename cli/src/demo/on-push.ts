/**
 * What the hook of a demo’s repository runs: deploys what was pushed, in development first and then in production, and
 * shows it to whoever pushed. `node on-push.ts HOME RUNTIME`, with git’s lines on standard input.
 */
import { text } from 'node:stream/consumers'
import { defaultPaths, Fault } from '@quarterdeck/contract'
import { fail } from '../fail.ts'
import { run } from '../init/program.ts'
import { ending } from '../run/ending.ts'
import { Progress } from '../run/progress.ts'
import { followToEnd, tellEnding } from '../run/see-through.ts'
import { screenOf } from '../screen.ts'
import { callWebhook, deployerOf } from './deploy.ts'
import { remoteOf, type SampleProject, samples } from './samples.ts'

const [home = '', runtime = ''] = process.argv.slice(2)
const signal = new AbortController().signal

const sample = samples.find(known => known.runtime === runtime)!

try {
  const pushed = mainIn(await text(process.stdin))
  if (pushed) await onPush(pushed)
} catch (error) {
  fail(error)
  const later = sample.projects.map(({ name }) => `\`qd deploy ${name}\``).join(' and ')
  say(`What was pushed is kept. Deploy it later with ${later}.`)
}

interface Pushed {
  before: string
  after: string
}

/** git(githooks): a line `old new ref` for each branch; a branch that was deleted has zeros for its commit. */
function mainIn(lines: string): Pushed | undefined {
  const [, before = '', after = ''] = /^([0-9a-f]+) ([0-9a-f]+) refs\/heads\/main$/m.exec(lines) ?? []
  return isCommit(after) ? { before, after } : undefined
}

function isCommit(sha: string): boolean {
  return /[^0]/.test(sha)
}

async function onPush(pushed: Pushed): Promise<void> {
  if (!(await changesWhatRuns(pushed))) {
    say(`Nothing to deploy: no path has changed of ${defaultPaths[sample.runtime].join(', ')}.`)
    return
  }
  for (const [i, project] of sample.projects.entries()) {
    if (await deploy(project, pushed.after)) continue
    for (const { name, group } of sample.projects.slice(i + 1)) say(`${name} (${group}) was not touched.`)
    return
  }
}

/** As the Deploy workflow decides it. */
async function changesWhatRuns({ before, after }: Pushed): Promise<boolean> {
  if (!isCommit(before)) return true
  const paths = ['--', ...defaultPaths[sample.runtime]]
  const args = ['--git-dir', remoteOf(home, sample), 'diff', '--quiet', before, after, ...paths]
  return (await run('git', args)).code !== 0
}

/** Whether the next one is to follow. */
async function deploy(project: SampleProject, ref: string): Promise<boolean> {
  const { name, group } = project
  say(`Deploying ${name} (${group}) at ${ref.slice(0, 7)}`)
  const deployer = deployerOf(home, sample, project)
  try {
    const accepted = await callWebhook(deployer, sample, project, ref)
    const view = new Progress(screenOf(process.stdout))
    const ended = await followToEnd(deployer, accepted, view, signal)
    view.stop()
    if (ended) tellEnding(ended)
    return ended !== undefined && ending(ended).ok
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'unauthenticated')) throw error
    say(`${name} is left out: its deploy token does not count, as when the project was archived.`)
    return true
  }
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}
