/** `quarterdeck`, also `qd`. Compiled code is kept beside the sources: a command then starts in less than half the time. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Units on a server name a place of their own; who may not write here does without.
if (!process.env.NODE_COMPILE_CACHE)
  enableCompileCache(fileURLToPath(new URL('../../.cache/compiled', import.meta.url)))

await import('./command-line.ts')
