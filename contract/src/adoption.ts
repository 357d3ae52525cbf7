/** Adopting: a project whose units, working copy and environment were there before, and stay where they are. */
import { z } from 'zod'
import { document } from './document.ts'
import { page, port, runtime, sha, slug } from './wire.ts'

const absolutePath = z
  .string()
  .max(500)
  .regex(/^\/(?!.*(^|\/)\.{0,2}(\/|$))\P{Cc}+$/u, 'an absolute path')

/** As systemd names it. */
export const foreignUnit = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_:.@\\-]*\.service$/, 'the name of a service unit, such as hello.service')

export const adoption = z.object({
  work: absolutePath.describe('the working copy that the units run from'),
  environment: absolutePath.describe(
    'the isolated environment that they run in: the venv, or node_modules; it becomes a link',
  ),
  user: z.string().max(64).describe('whom the units run as'),
  units: z.record(slug, foreignUnit).describe('the unit of each process'),
})
export type Adoption = z.infer<typeof adoption>

/** A unit that is there and could be adopted, as far as the machine can tell. */
export const candidate = z.object({
  unit: foreignUnit,
  description: z.string(),
  state: z.string().describe('as systemd calls it, such as active or failed'),
  user: z.string(),
  start: z.array(z.string()).describe('its program and arguments'),
  work: z.string().nullable().describe('its working copy; null: it has none'),
  git_url: z.string().nullable(),
  branch: z.string().nullable(),
  sha: sha.nullable().describe('the commit that is checked out'),
  runtime: runtime.nullable(),
  environment: z.string().nullable(),
  interpreter: z.string().nullable().describe('what it runs on, such as /usr/bin/python3.11'),
  port: port.nullable().describe('that it listens on; null: none, or several'),
  obstacles: z.array(z.string()).describe('why it cannot be adopted as it is; empty: it can'),
})
export type Candidate = z.infer<typeof candidate>

export const candidatePage = page(candidate.extend({ machine: slug }))
export type CandidatePage = z.infer<typeof candidatePage>

export const candidatePageDocument = document('candidate-page', candidatePage, {
  items: [
    {
      machine: 'web-1',
      unit: 'hello.service',
      description: 'Hello',
      state: 'active',
      user: 'hello',
      start: ['/srv/hello/venv/bin/python', '-m', 'app'],
      work: '/srv/hello',
      git_url: 'https://github.com/acme/hello.git',
      branch: 'main',
      sha: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
      runtime: 'python',
      environment: '/srv/hello/venv',
      interpreter: '/usr/bin/python3.11',
      port: 8000,
      obstacles: [],
    },
  ],
  next_cursor: null,
})
