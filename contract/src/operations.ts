/** Every operation of the admin API, once: control serves them, the OpenAPI document lists them, clients call them. */
import { z } from 'zod'
import { candidatePageDocument } from './adoption.ts'
import { alertOperations } from './alert-operations.ts'
import { applyOperations } from './apply.ts'
import { auditPageDocument } from './audit.ts'
import { deployRequestDocument } from './deploy-request.ts'
import { eventDocument } from './event.ts'
import { forgeOperations } from './forge-operations.ts'
import { noticeOperations } from './notice-operations.ts'
import { byId, byName, type Operation, operation, pageQuery, runAccepted } from './operation.ts'
import { projectDocument, projectPageDocument } from './project.ts'
import { projectChangeDocument } from './project-change.ts'
import { projectCreateDocument } from './project-create.ts'
import { readinessDocument } from './readiness.ts'
import { repositoryAccessOperations } from './repository-access-operations.ts'
import { runDocument, runPageDocument } from './run.ts'
import { holdRequestDocument, rollbackRequestDocument, runRequestDocument } from './run-request.ts'
import { serviceOperations } from './service-entry.ts'
import { sessionDocument } from './session.ts'
import { tokenCreateDocument, tokenCreatedDocument, tokenPageDocument, tokenRotateDocument } from './token.ts'
import { unitLogDocument } from './unit-log.ts'
import { variableOperations } from './variable-operations.ts'
import { line, slug } from './wire.ts'

export const operations = {
  readOpenapi: operation({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This API, as an OpenAPI 3.1 document',
    answer: { status: 200 },
  }),
  readSession: operation({
    method: 'GET',
    path: '/api/session',
    summary: 'Who the caller is',
    answer: { status: 200, document: sessionDocument },
  }),
  readReadiness: operation({
    method: 'GET',
    path: '/api/readiness',
    summary: 'Why control is ready or not',
    answer: { status: 200, document: readinessDocument },
  }),
  followEvents: operation({
    method: 'GET',
    path: '/api/events',
    summary: 'Events as they happen, as server-sent events; Last-Event-ID resumes after that position',
    headers: z.object({
      'last-event-id': z.coerce.number().int().min(0).optional().describe('start after this position'),
    }),
    answer: { status: 200, type: 'text/event-stream', document: eventDocument },
  }),
  listAudit: operation({
    method: 'GET',
    path: '/api/audit',
    summary: 'Who did what, newest first',
    query: pageQuery.extend({
      by: line.max(200).optional(),
      subject: line.max(200).optional(),
    }),
    answer: { status: 200, document: auditPageDocument },
  }),
  listTokens: operation({
    method: 'GET',
    path: '/api/tokens',
    summary: 'Operators’ tokens, newest first',
    query: pageQuery,
    answer: { status: 200, document: tokenPageDocument },
  }),
  createToken: operation({
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make an operator’s token; it is shown in this answer only',
    body: tokenCreateDocument,
    answer: { status: 201, document: tokenCreatedDocument },
  }),
  revokeToken: operation({
    method: 'DELETE',
    path: '/api/tokens/{id}',
    summary: 'Revoke a token, at once and for good',
    params: byId,
    answer: { status: 204 },
  }),
  rotateToken: operation({
    method: 'POST',
    path: '/api/tokens/{id}/rotate',
    summary: 'Make a successor of a token; the old one counts until the overlap is over',
    params: byId,
    body: tokenRotateDocument,
    bodyOptional: true,
    answer: { status: 201, document: tokenCreatedDocument },
  }),

  deploy: operation({
    method: 'POST',
    path: '/api/deploy/{name}',
    summary: 'The deploy webhook: bring what was pushed into service',
    params: byName,
    body: deployRequestDocument,
    bodyBytes: 64 * 1024,
    ...runAccepted,
  }),

  listProjects: operation({
    method: 'GET',
    path: '/api/projects',
    summary: 'Projects, by name',
    query: pageQuery,
    answer: { status: 200, document: projectPageDocument },
  }),
  createProject: operation({
    method: 'POST',
    path: '/api/projects',
    summary: 'Add a project',
    body: projectCreateDocument,
    answer: { status: 201, document: projectDocument },
  }),
  readProject: operation({
    method: 'GET',
    path: '/api/projects/{name}',
    summary: 'A project',
    params: byName,
    answer: { status: 200, document: projectDocument },
  }),
  changeProject: operation({
    method: 'PATCH',
    path: '/api/projects/{name}',
    summary: 'Change settings of a project; they count from its next run',
    params: byName,
    body: projectChangeDocument,
    answer: { status: 200, document: projectDocument },
  }),
  archiveProject: operation({
    method: 'DELETE',
    path: '/api/projects/{name}',
    summary: 'Archive a project: its units are stopped, its tokens revoked, its runs and data kept',
    params: byName,
    answer: { status: 204 },
  }),
  listCandidates: operation({
    method: 'GET',
    path: '/api/candidates',
    summary: 'Units on the machines that could be adopted as projects, and what stands in the way',
    query: z.object({ machine: slug.optional().describe('without it, all that are connected') }),
    answer: { status: 200, document: candidatePageDocument },
  }),
  listDeployTokens: operation({
    method: 'GET',
    path: '/api/projects/{name}/tokens',
    summary: 'Deploy tokens of a project, newest first',
    params: byName,
    query: pageQuery,
    answer: { status: 200, document: tokenPageDocument },
  }),
  createDeployToken: operation({
    method: 'POST',
    path: '/api/projects/{name}/tokens',
    summary: 'Make a deploy token; it is shown in this answer only',
    params: byName,
    body: tokenCreateDocument,
    answer: { status: 201, document: tokenCreatedDocument },
  }),

  listProjectRuns: operation({
    method: 'GET',
    path: '/api/projects/{name}/runs',
    summary: 'Runs of a project, newest first',
    params: byName,
    query: pageQuery,
    answer: { status: 200, document: runPageDocument },
  }),
  startRun: operation({
    method: 'POST',
    path: '/api/projects/{name}/runs',
    summary: 'Deploy by hand: the newest commit of the branch, or one of it',
    params: byName,
    body: runRequestDocument,
    bodyOptional: true,
    ...runAccepted,
  }),
  rollback: operation({
    method: 'POST',
    path: '/api/projects/{name}/rollback',
    summary: 'Go back to an earlier commit; without one, to what was proven to run before',
    params: byName,
    body: rollbackRequestDocument,
    bodyOptional: true,
    ...runAccepted,
  }),
  holdProject: operation({
    method: 'POST',
    path: '/api/projects/{name}/hold',
    summary: 'Let pushes wait; rollbacks are not held',
    params: byName,
    body: holdRequestDocument,
    bodyOptional: true,
    answer: { status: 200, document: projectDocument },
  }),
  resumeProject: operation({
    method: 'POST',
    path: '/api/projects/{name}/resume',
    summary: 'Deploy pushes again; the newest that waits goes first',
    params: byName,
    answer: { status: 200, document: projectDocument },
  }),
  startUnits: operation({
    method: 'POST',
    path: '/api/projects/{name}/start',
    summary: 'Start the units of a project as they were last started',
    params: byName,
    answer: { status: 200, document: projectDocument },
  }),
  stopUnits: operation({
    method: 'POST',
    path: '/api/projects/{name}/stop',
    summary: 'Stop the units of a project until they are started or deployed',
    params: byName,
    answer: { status: 200, document: projectDocument },
  }),
  restartUnits: operation({
    method: 'POST',
    path: '/api/projects/{name}/restart',
    summary: 'Restart the units of a project on the release that is in place',
    params: byName,
    answer: { status: 200, document: projectDocument },
  }),
  readUnitLog: operation({
    method: 'GET',
    path: '/api/projects/{name}/log',
    summary: 'What a unit of a project itself has written',
    params: byName,
    query: z.object({
      process: slug.default('web'),
      machine: slug.optional().describe('without it, the first that has the project'),
      lines: z.coerce.number().int().min(0).max(10_000).default(200),
      after: z.coerce.number().int().min(0).optional().describe('`next` of the answer before'),
    }),
    answer: { status: 200, document: unitLogDocument },
  }),

  listRuns: operation({
    method: 'GET',
    path: '/api/runs',
    summary: 'Runs of all projects, newest first',
    query: pageQuery,
    answer: { status: 200, document: runPageDocument },
  }),
  readRun: operation({
    method: 'GET',
    path: '/api/runs/{id}',
    summary: 'A run',
    params: byId,
    answer: { status: 200, document: runDocument },
  }),
  followRunLog: operation({
    method: 'GET',
    path: '/api/runs/{id}/log',
    summary:
      'The log of a run: text; or with `Accept: text/event-stream` live until the run ends, with its progress; Last-Event-ID resumes after that line',
    params: byId,
    headers: z.object({
      accept: z.string().optional(),
      'last-event-id': z.coerce.number().int().min(0).optional().describe('start after this line'),
    }),
    answer: { status: 200, type: 'text/event-stream', document: runDocument },
  }),
  rerun: operation({
    method: 'POST',
    path: '/api/runs/{id}/rerun',
    summary: 'The same call again; of an earlier successful run this is a rollback',
    params: byId,
    ...runAccepted,
  }),
  cancelRun: operation({
    method: 'POST',
    path: '/api/runs/{id}/cancel',
    summary: 'End a run and take back what it has done',
    params: byId,
    answer: { status: 202, document: runDocument },
  }),

  ...forgeOperations,
  ...alertOperations,
  ...variableOperations,
  ...repositoryAccessOperations,
  ...applyOperations,
  ...serviceOperations,
  ...noticeOperations,
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
