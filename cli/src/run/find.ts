/** A run by its id, whole or shortened, or by its project. */
import { Fault, operations, type Run } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { GuidedFault } from '../fail.ts'
import { isWholeId, mayBeId, pickById } from '../ids.ts'

const newest = 200

export async function findRun(api: Api, text: string): Promise<Run> {
  if (isWholeId(text)) return api.call(operations.readRun, { params: { id: text.toLowerCase() } })
  const { items } = await api.call(operations.listRuns, { query: { limit: newest } })
  return pickById(text, items, 'qd runs')
}

/** Undefined: the text names a project. A project is meant before a run whose id looks the same. */
export async function findRunUnlessProject(api: Api, text: string): Promise<Run | undefined> {
  if (isWholeId(text)) return findRun(api, text)
  const isName = /^[a-z]/.test(text)
  if (isName && (!mayBeId(text) || (await isProject(api, text)))) return undefined
  return findRun(api, text)
}

async function isProject(api: Api, name: string): Promise<boolean> {
  try {
    await api.call(operations.readProject, { params: { name } })
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return false
    throw error
  }
}

/** The run of a project that is running, else the one that waits. */
export async function openRun(api: Api, name: string): Promise<Run> {
  const { items } = await api.call(operations.listProjectRuns, { params: { name }, query: { limit: 50 } })
  const open =
    items.find(({ status }) => status === 'running') ?? items.find(({ status }) => status === 'queued')
  if (open) return open
  throw new GuidedFault(
    'run_over',
    `No run of ${name} is running or waiting.`,
    `To take a deploy back, use \`qd rollback ${name}\`.`,
  )
}
