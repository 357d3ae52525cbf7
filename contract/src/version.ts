/** Version object, the answer of /version. Exact by the specification: no other field. */
import { z } from 'zod'
import { document } from './document.ts'

export const version = z.strictObject({
  name: z.string().min(1).describe('name of the service'),
  sha: z.string().min(1).describe('commit identifier of the running build'),
})
export type Version = z.infer<typeof version>

export const versionDocument = document('version', version, {
  name: 'hello',
  sha: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
})
