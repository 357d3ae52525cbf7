/** A change of a project: only what is sent is changed. Its name stays, because everything on the machines bears it; so does what was adopted. */
import { z } from 'zod'
import { document } from './document.ts'
import { projectPaths, projectProcess, projectSettings, stepLimitsChange } from './project-create.ts'

/** Without the defaults of a new project: what is absent stays as it is. */
const { name: _name, adopted: _adopted, ...settings } = projectSettings.shape
const unwrapped = Object.fromEntries(
  Object.entries(settings).map(([key, schema]) => [
    key,
    schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? schema.unwrap() : schema,
  ]),
) as { [K in keyof typeof settings]: WithoutDefault<(typeof settings)[K]> }

type WithoutDefault<S> = S extends z.ZodDefault<infer T> ? T : S extends z.ZodPrefault<infer T> ? T : S

export const projectChange = z
  .strictObject({
    ...unwrapped,
    limits: stepLimitsChange,
    processes: z.array(projectProcess.partial({ port: true, timer: true, socket: true })).min(1),
    paths: projectPaths,
  })
  .partial()
export type ProjectChange = z.infer<typeof projectChange>

export const projectChangeDocument = document('project-change', projectChange, {
  repository: 'acme/hello-world',
  runbook: null,
})
