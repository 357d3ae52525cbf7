/** A watched service as a person would write it: what has its default is left out, and what is sent along is in no file. */
import { isDeepStrictEqual } from 'node:util'
import { type ServiceEntry, watchedEntry } from '@quarterdeck/contract'
import type { Entry } from './entry.ts'

/** Null: it is of a project or of the environment itself. */
export function serviceEntryOf({ id, watched, ...service }: ServiceEntry): Entry | null {
  if (!watched || service.url === null) return null
  const whole: Entry = { ...service, ...watched }
  const usual: Entry = { ...watchedEntry.parse({ url: service.url }), name: id }
  const unusual = Object.keys(watchedEntry.shape).flatMap(key => {
    if (key === 'url') return []
    const left = key === 'expect' ? changedIn(whole[key] as Entry, usual[key] as Entry) : whole[key]
    return isDeepStrictEqual(left, key === 'expect' ? {} : usual[key]) ? [] : [[key, left] as const]
  })
  return { url: service.url, ...Object.fromEntries(unusual) }
}

const changedIn = (value: Entry, usual: Entry): Entry =>
  Object.fromEntries(Object.entries(value).filter(([key, inner]) => !isDeepStrictEqual(inner, usual[key])))
