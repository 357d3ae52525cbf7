/** What forges call, and what is set for them. */
import { z } from 'zod'
import { forgeDocument, hookCreateDocument, hookCreatedDocument, statusesSetDocument } from './forge.ts'
import { forgePushDocument, hookIgnoredDocument } from './forge-push.ts'
import { byName, operation } from './operation.ts'
import { runDocument } from './run.ts'

/** GitHub tells of up to 2048 commits, each with the names of its files; larger than that is no push. */
const hookBodyBytes = 8 * 1024 * 1024

export const forgeOperations = {
  receiveHook: operation({
    method: 'POST',
    path: '/api/hooks/{name}',
    summary: 'A forge’s own webhook, signed with HMAC-SHA256 in `X-Hub-Signature-256`: pushes are deployed',
    params: byName,
    headers: z.object({
      'x-hub-signature-256': z
        .string()
        .optional()
        .describe('`sha256=` and the HMAC of the body in hexadecimal digits'),
    }),
    signed: true,
    body: forgePushDocument,
    bodyBytes: hookBodyBytes,
    answer: { status: 202, document: runDocument },
    otherwise: [{ status: 200, meaning: 'There is nothing to do for it', document: hookIgnoredDocument }],
  }),
  readForge: operation({
    method: 'GET',
    path: '/api/projects/{name}/forge',
    summary: 'How a project and its forge are connected',
    params: byName,
    answer: { status: 200, document: forgeDocument },
  }),
  createHook: operation({
    method: 'POST',
    path: '/api/projects/{name}/forge/hook',
    summary: 'Make the secret of the forge’s webhook; it is shown in this answer only',
    params: byName,
    body: hookCreateDocument,
    bodyOptional: true,
    answer: { status: 201, document: hookCreatedDocument },
  }),
  removeHook: operation({
    method: 'DELETE',
    path: '/api/projects/{name}/forge/hook',
    summary: 'Take no more calls of the forge’s webhook',
    params: byName,
    answer: { status: 204 },
  }),
  setStatuses: operation({
    method: 'PUT',
    path: '/api/projects/{name}/forge/statuses',
    summary: 'Write how runs go to the forge, as statuses of their commits',
    params: byName,
    body: statusesSetDocument,
    answer: { status: 200, document: forgeDocument },
  }),
  removeStatuses: operation({
    method: 'DELETE',
    path: '/api/projects/{name}/forge/statuses',
    summary: 'Write no more statuses',
    params: byName,
    answer: { status: 204 },
  }),
} as const
