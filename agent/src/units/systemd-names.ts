/** How units and users of a project are called on a machine with systemd. */
import { createHash } from 'node:crypto'

/** What useradd and utmp take. */
const longestUser = 31
const hashLength = 8

/** Slugs have no dot, so that no two processes share a unit: `web` is the project's own. */
export function unitName(project: string, process: string): string {
  return process === 'web' ? `qd-${project}` : `qd-${project}.${process}`
}

/** A long name is shortened with a hash behind an underscore, which slugs do not have: no two projects share a user. */
export function userName(project: string): string {
  const whole = `qd-${project}`
  if (whole.length <= longestUser) return whole
  const hash = createHash('sha256').update(project).digest('hex').slice(0, hashLength)
  return `${whole.slice(0, longestUser - hashLength - 1)}_${hash}`
}

/** What aligns before a unit starts. Slugs have no underscore either: it is no process's unit. */
export function alignFile(unit: string): string {
  return `${unit}_align.service`
}
