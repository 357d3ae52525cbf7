/** A project: a repository that is deployed, as it is read back. It can be sent again as it is. */
import { z } from 'zod'
import { instance } from './agent-message.ts'
import { document } from './document.ts'
import { projectPaths, projectProcess, projectSettings } from './project-create.ts'
import { page, repository, slug, time, url } from './wire.ts'

export const project = projectSettings.extend({
  processes: z.array(projectProcess).min(1),
  paths: projectPaths,
  aliases: z.array(repository).describe('earlier names of the repository, which callers may still use'),
  held: z.boolean().describe('true: pushes are accepted, and the newest waits until the project is resumed'),
  held_reason: z.string().nullable(),
  instances: z
    .array(instance.omit({ project: true }).extend({ machine: slug }))
    .describe('what is in place, by machine'),
  url: url.nullable().describe('its sub-domain; null without a web process'),
  created_at: time,
  updated_at: time,
})
export type Project = z.infer<typeof project>

export const projectPage = page(project)
export type ProjectPage = z.infer<typeof projectPage>

export const projectDocument = document('project', project, {
  name: 'hello',
  repository: 'acme/hello',
  git_url: 'https://github.com/acme/hello.git',
  branch: 'main',
  group: 'production',
  machines: ['web-1'],
  runtime: 'python',
  processes: [
    { name: 'web', start: ['python', '-m', 'app'], port: 8101, timer: null, socket: true },
    { name: 'mailer', start: ['python', '-m', 'app.mailer'], port: null, timer: null, socket: false },
    { name: 'tidy', start: ['python', '-m', 'app.tidy'], port: null, timer: { at: '03:30' }, socket: false },
  ],
  interpreter: null,
  before_restart: ['python', '-m', 'app.migrate'],
  linked_paths: ['uploads/'],
  health: { timeout_s: 60 },
  limits: { fetch_s: 300, install_s: 900, before_restart_s: 600, restart_s: 120 },
  metrics_path: '/metrics',
  paths: ['app/', 'deploy/', 'requirements.txt'],
  description: null,
  depends_on: [],
  runbook: 'https://docs.example.com/runbooks/hello',
  adopted: null,
  aliases: [],
  held: false,
  held_reason: null,
  instances: [
    {
      machine: 'web-1',
      sha: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
      proven_sha: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
      port: 8101,
      variables: '00000000000000000000000000000000',
      units: [{ name: 'web', state: 'running', pid: 4711, since: '2026-03-02T09:14:06Z', restarts: 0 }],
    },
  ],
  url: 'https://hello.example.com',
  created_at: '2026-02-20T10:00:00Z',
  updated_at: '2026-03-02T08:00:00Z',
})

export const projectPageDocument = document('project-page', projectPage, {
  items: [projectDocument.example],
  next_cursor: null,
})
