/** A project in an environment under test: added, pushed to, watched; and no process of it left at the end. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, until } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { endGroup, findTagged } from '../../agent/src/processes.ts'
import { ask, type Environment } from '../environment.ts'

export interface Run {
  id: string
  status: string
  kind: string
  sha: string | null
  error: { code: string; message: string } | null
  restored_sha: string | null
  superseded_by: string | null
  steps: { name: string; status: string; detail: string | null }[]
}

const isOver = ({ status }: Run) => status !== 'queued' && status !== 'running'

/** Adds the project; its services end with the test. */
export async function addProject(
  { call, home }: Environment,
  gitUrl: string,
  settings: Record<string, unknown> = {},
): Promise<void> {
  endServicesAfterwards(home)
  const { status, json } = await call('POST', '/api/projects', {
    name: 'hello',
    repository: 'acme/hello',
    git_url: gitUrl,
    runtime: 'python',
    interpreter: '/usr/bin/python3',
    start: ['python', '-m', 'app'],
    port: await freePort(),
    ...settings,
  })
  if (status !== 201) throw new Error(JSON.stringify(json))
}

/** Services outlive their environment, as they should, but not the test. */
export function endServicesAfterwards(home: string): void {
  onTestFinished(async () => {
    const mine = findTagged('').filter(({ pid }) => runsIn(pid, home))
    await Promise.all(mine.map(({ pgid }) => endGroup(pgid, { graceMs: 500 })))
  })
}

export function runsIn(pid: number, home: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`=${home}/`)
  } catch {
    return false
  }
}

export const runOf = async ({ call }: Environment, id: string): Promise<Run> =>
  (await call('GET', `/api/runs/${id}`)).json

export const ended = (environment: Environment, id: string): Promise<Run> =>
  until(
    'the run has ended',
    async () => {
      const run = await runOf(environment, id)
      return isOver(run) && run
    },
    60_000,
  )

/** What its own `/version` tells, through the edge, which hears of a first deploy and after a start a moment later. */
export async function version({ port }: { port: number }, name = 'hello'): Promise<string> {
  let said = ''
  const sha = async () => {
    const { status, text } = await ask(port, `${name}.localhost`, '/version')
    said = `${status}: ${text}`
    return status === 200 && (JSON.parse(text) as { sha: string }).sha
  }
  return until(`${name} answers at the edge`, sha).catch(error => {
    throw new Error(`${error.message}\n${said}`)
  })
}

/** Every start of the service, by commit, in order. */
export function starts(home: string, name = 'hello'): string[] {
  return readFileSync(join(home, 'projects', name, 'data/starts'), 'utf8')
    .trim()
    .split('\n')
}

export const releases = (home: string, name = 'hello'): string[] =>
  readdirSync(join(home, 'projects', name, 'releases')).filter(entry => /^[0-9a-f]{40}$/.test(entry))
