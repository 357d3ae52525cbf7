/** The settings that a project has in the registry and that its repository may say as well. */
import { z } from 'zod'
import { allDifferent } from './wire.ts'

/** Looked up in the environment of the release first. */
export const start = z
  .array(z.string().regex(/^[^\0]+$/, 'must not be empty'))
  .min(1)
  .describe(
    'program and arguments; unless its path is absolute, the program is looked up in the environment first',
  )

/** The longest that a new build may take to prove itself healthy. */
export const health = z.object({ timeout_s: z.number().positive().max(3600) })

/** A path within the repository or the release: relative, and never out of it. */
export const innerPath = z
  .string()
  .max(300)
  .regex(
    /^(?!\/)(?!.*(^|\/)\.{1,2}(\/|$))(?!\.git(\/|$))\P{Cc}+$/u,
    'a relative path that stays within the release',
  )

/** When a timer runs, in UTC. */
export const timer = z.union([
  z.strictObject({ every_s: z.int().min(10).max(604_800) }),
  z.strictObject({ at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 03:30') }),
])
export type Timer = z.infer<typeof timer>

export const interpreter = z
  .string()
  .max(300)
  .regex(/^(\/\S+|[\w.-]+)$/, 'a program’s name such as python3.11, or an absolute path')

interface WithProcesses {
  processes?: { name: string; timer?: unknown; socket?: boolean | undefined }[] | undefined
}

/** What holds for the processes of a project, wherever they are written down. */
export const processRules = {
  ownNames: [
    ({ processes = [] }: WithProcesses) => allDifferent(processes.map(({ name }) => name)),
    { path: ['processes'], error: 'every process has its own name' },
  ],
  webWithoutTimer: [
    ({ processes = [] }: WithProcesses) => processes.every(({ name, timer }) => name !== 'web' || !timer),
    { path: ['processes'], error: 'the process web runs all the time: it has no timer' },
  ],
  socketOfWebAlone: [
    ({ processes = [] }: WithProcesses) => processes.every(({ name, socket }) => name === 'web' || !socket),
    { path: ['processes'], error: 'only the process web has a socket' },
  ],
} satisfies Record<string, [(value: WithProcesses) => boolean, { path: string[]; error: string }]>
