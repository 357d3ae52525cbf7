/** What differs between two settings of a project, as far down as a reader can use it: `limits.fetch_s`, `processes.web.start`. */
import { isDeepStrictEqual } from 'node:util'
import type { SettingChange } from '@quarterdeck/contract'

type Json = SettingChange['before']
type Keyed = Readonly<Record<string, Json>>

/** In the order of the settings. `before` and `after` are documents, all of whose lists but `processes` are one value. */
export function differences(before: object, after: object): SettingChange[] {
  return between(byProcess(before), byProcess(after), [])
}

/** Processes are told apart by their names; their order has no meaning but for who reads it. */
function byProcess({ processes, ...settings }: object & { processes?: unknown }): Keyed {
  const list = (processes ?? []) as { name: string }[]
  const named = Object.fromEntries(list.map(({ name, ...process }) => [name, process]))
  const order = list.map(({ name }) => name)
  return { ...settings, processes: named, 'order of processes': order } as Keyed
}

function between(before: Keyed, after: Keyed, path: readonly string[]): SettingChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap(key => {
    const [was, is] = [before[key] ?? null, after[key] ?? null]
    if (isDeepStrictEqual(was, is)) return []
    if (key === 'order of processes' && !isReordered(was, is)) return []
    if (isKeyed(was) && isKeyed(is)) return between(was, is, [...path, key])
    return [{ key: [...path, key].join('.'), before: was, after: is }]
  })
}

/** Which ones there are is told by themselves. */
const isReordered = (was: Json, is: Json): boolean =>
  isDeepStrictEqual([...(was as string[])].sort(), [...(is as string[])].sort())

const isKeyed = (value: Json): value is Keyed =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
