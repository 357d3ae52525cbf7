/** Deploy request, the body of the deploy webhook. What else a caller sends is dropped, not refused. */
import { z } from 'zod'
import { document } from './document.ts'
import { ref, repository } from './wire.ts'

export const deployRequest = z.object({
  ref: ref.describe('commit identifier that triggered the deploy'),
  project: repository.describe('repository identifier of the form <owner>/<repository>'),
})
export type DeployRequest = z.infer<typeof deployRequest>

export const deployRequestDocument = document('deploy-request', deployRequest, {
  ref: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
  project: 'acme/hello',
})
