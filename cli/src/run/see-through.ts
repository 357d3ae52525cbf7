/** From an accepted run to its end: follows it, says how it ended, and sets the exit code. */
import { operations, type Run } from '@quarterdeck/contract'
import type { Command } from 'commander'
import type { Api } from '../api.ts'
import { colours } from '../colours.ts'
import { interrupted, printJson, runFailed } from '../fail.ts'
import { shortId } from '../ids.ts'
import type { ApiOptions } from '../options.ts'
import { plain } from '../plain.ts'
import { screenOf } from '../screen.ts'
import { ending } from './ending.ts'
import { followRun } from './follow.ts'
import { aside, Progress, type View } from './progress.ts'

export interface WaitOptions extends ApiOptions {
  wait?: boolean
  quiet?: true
}

export const withWaitOptions = (command: Command): Command =>
  command
    .option('--wait', 'follow the run to its end (the default)')
    .option('--no-wait', 'return as soon as the run is accepted')
    .option('--quiet', 'show the steps without their log')

export async function seeThrough(api: Api, accepted: Run, options: WaitOptions): Promise<void> {
  if (options.wait === false) {
    if (options.json) printJson(accepted)
    else tellAccepted(accepted)
    return
  }
  if (!options.json)
    process.stdout.write(`Run ${shortId(accepted.id)} of ${accepted.project}: ${plain(accepted.url)}\n`)
  const view = options.json ? silent : new Progress(screenOf(process.stdout), options)
  const ended = await watch(api, accepted, view)
  if (!ended) return
  if (options.json) printJson(ended)
  else tellEnding(ended)
  if (!ending(ended).ok) process.exitCode = runFailed
}

/** The run that ended, or undefined when Ctrl+C came first. One that gives way hands over to its successor. */
export async function watch(api: Api, accepted: Run, view: View): Promise<Run | undefined> {
  const stop = new AbortController()
  const onInterrupt = () => stop.abort()
  process.once('SIGINT', onInterrupt)
  let run = accepted
  try {
    if (run.status === 'queued') await sayWhyItWaits(api, run, view)
    return await followToEnd(api, run, view, stop.signal, successor => {
      run = successor
    })
  } finally {
    process.off('SIGINT', onInterrupt)
    view.stop()
    if (stop.signal.aborted) tellInterrupted(run)
  }
}

/** The run that ended, or undefined when the signal came first; whoever takes its place is told of. */
export async function followToEnd(
  api: Api,
  accepted: Run,
  view: View,
  signal: AbortSignal,
  onSuccessor: (run: Run) => void = () => {},
): Promise<Run | undefined> {
  let run = accepted
  for (;;) {
    const ended = await watchOne(api, run, view, signal)
    if (ended?.status !== 'superseded' || !ended.superseded_by) return ended
    view.note(`Run ${shortId(run.id)} gave way to ${shortId(ended.superseded_by)}, which is followed now.`)
    run = await api.call(operations.readRun, { params: { id: ended.superseded_by } })
    onSuccessor(run)
  }
}

async function watchOne(api: Api, { id }: Run, view: View, signal: AbortSignal): Promise<Run | undefined> {
  for await (const followed of followRun(api, id, { signal })) {
    if (followed.type === 'log') view.log(followed.line)
    else if (followed.type === 'lost')
      view.aside('The connection to control broke; trying again for a minute …')
    else if (followed.type === 'back') view.aside('Connected again.')
    else {
      view.run(followed.run)
      if (followed.type === 'end') return followed.run
    }
  }
  return undefined
}

/** A run that is held would otherwise seem to hang. */
async function sayWhyItWaits(api: Api, { id, project: name, kind }: Run, view: View): Promise<void> {
  const { held, held_reason } = await api.call(operations.readProject, { params: { name } })
  if (held && kind === 'deploy') {
    const why = held_reason ? ` (${plain(held_reason)})` : ''
    return view.note(`${name} is held${why}: the run waits until \`qd resume ${name}\`.`)
  }
  const { items } = await api.call(operations.listProjectRuns, { params: { name }, query: { limit: 10 } })
  const before = items.find(run => run.status === 'running' && run.id !== id)
  if (before) view.note(`Run ${shortId(before.id)} of ${name} is running; this one waits for it.`)
}

function tellAccepted(run: Run): void {
  const { green, dim } = colours(process.stdout)
  const id = shortId(run.id)
  process.stdout.write(
    `${green('✓')} Run ${id} of ${run.project} was accepted.\n  ${dim(`Follow it with \`qd logs -f ${id}\`, or at ${plain(run.url)}`)}\n`,
  )
}

export function tellEnding(run: Run): void {
  const { green, red, dim } = colours(process.stdout)
  const { ok, sentence, remedy } = ending(run)
  process.stdout.write(`${ok ? green('✓') : red('✗')} ${sentence}\n${remedy ? `  ${dim(remedy)}\n` : ''}`)
}

function tellInterrupted({ id }: Run): void {
  process.exitCode = interrupted
  aside(
    `No longer followed; the run goes on. \`qd logs -f ${shortId(id)}\` follows it, \`qd cancel ${shortId(id)}\` cancels it.`,
  )
}

/** For programs: only the end counts. */
export const silent: View = { run() {}, log() {}, note() {}, stop() {}, aside }
