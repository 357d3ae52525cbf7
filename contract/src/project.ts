/** A project: a repository that is deployed, as it is read back. It can be sent again as it is. */
import { z } from 'zod'
import { document } from './document.ts'
import { projectPaths, projectProcess, projectSettings } from './project-create.ts'
import { page, time, url } from './wire.ts'

export const project = projectSettings.extend({
  processes: z.array(projectProcess).min(1),
  paths: projectPaths,
  held: z.boolean().describe('true: pushes are accepted, and the newest waits until the project is resumed'),
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
    { name: 'web', start: ['python', '-m', 'app'], port: 8101 },
    { name: 'mailer', start: ['python', '-m', 'app.mailer'], port: null },
  ],
  health: { timeout_s: 60 },
  metrics_path: '/metrics',
  paths: ['app/', 'deploy/', 'requirements.txt'],
  runbook: 'https://docs.example.com/runbooks/hello',
  held: false,
  url: 'https://hello.example.com',
  created_at: '2026-02-20T10:00:00Z',
  updated_at: '2026-03-02T08:00:00Z',
})

export const projectPageDocument = document('project-page', projectPage, {
  items: [projectDocument.example],
  next_cursor: null,
})
