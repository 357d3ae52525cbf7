import { fileURLToPath } from 'node:url'

/** Where the code lies: the checkout or the release. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
