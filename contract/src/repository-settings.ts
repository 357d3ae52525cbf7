/**
 * `deploy/quarterdeck.yaml` in a repository: how the project is started, kept with its code. It goes before the project's own
 * settings and goes back with the commit. Where it listens and on which machines stays the operator's.
 */
import { z } from 'zod'
import { document } from './document.ts'
import { health, innerPath, interpreter, processRules, start, timer } from './project-settings.ts'
import { slug } from './wire.ts'

export const repositorySettingsFile = 'deploy/quarterdeck.yaml'

const repositoryProcess = z.object({
  name: slug,
  start,
  timer: timer.nullable().default(null),
  socket: z.boolean().default(false),
})

const settings = {
  start: start.describe('short for one process named web'),
  processes: z.array(repositoryProcess).min(1),
  interpreter,
  before_restart: start.nullable(),
  linked_paths: z.array(innerPath),
  health,
}

/** As it is told by a machine: a newer one may say more. */
export const saidInRepository = z.object(settings).partial()

/** As it is written: a misspelt name is refused. */
export const repositorySettings = z
  .strictObject({ ...settings, processes: z.array(repositoryProcess.strict()).min(1) })
  .partial()
  .refine(({ start, processes }) => start === undefined || processes === undefined, {
    path: ['start'],
    error: 'either start or processes, and not both',
  })
  .refine(...processRules.ownNames)
  .refine(...processRules.webWithoutTimer)
  .refine(...processRules.socketOfWebAlone)
export type RepositorySettings = z.infer<typeof repositorySettings>

export const repositorySettingsDocument = document('repository-settings', repositorySettings, {
  processes: [
    { name: 'web', start: ['python', '-m', 'app'], socket: true },
    { name: 'mailer', start: ['python', '-m', 'app.mailer'] },
    { name: 'tidy', start: ['python', '-m', 'app.tidy'], timer: { at: '03:30' } },
  ],
  before_restart: ['python', '-m', 'app.migrate'],
  linked_paths: ['uploads/'],
  health: { timeout_s: 30 },
})
