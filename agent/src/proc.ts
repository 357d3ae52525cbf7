/** Reads /proc. Processes come and go meanwhile: what is no longer there is undefined, not an error. */
import { readdirSync, readFileSync } from 'node:fs'

/** The variable by which a program that the agent started is known, also after the agent was killed. */
export const tagVariable = 'QUARTERDECK_TAG'

/** Processes of the group, and of its session in other groups, that have not ended. */
export function groupMembers(pgid: number): number[] {
  return allPids().filter(pid => {
    const stat = statOf(pid)
    return stat?.pgid === pgid || stat?.session === pgid
  })
}

export interface Stat {
  readonly pgid: number
  readonly session: number
  readonly startTime: number
}

/** Read behind the last parenthesis, because the name before it may hold spaces and parentheses (proc(5)). */
export function statOf(pid: number): Stat | undefined {
  const text = readProc(`${pid}/stat`)?.toString('latin1')
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return { pgid: Number(fields[2]), session: Number(fields[3]), startTime: Number(fields[19]) }
}

export function tagOf(pid: number): string | undefined {
  const start = `${tagVariable}=`
  const variables = readProc(`${pid}/environ`)?.toString('utf8').split('\0')
  return variables?.find(variable => variable.startsWith(start))?.slice(start.length)
}

export function allPids(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
}

/** Undefined for what has ended meanwhile or may not be read. */
function readProc(path: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${path}`)
  } catch {
    return undefined
  }
}
