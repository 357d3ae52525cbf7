/** Where things lie in this checkout, and the environment its programs run in. */
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout, without a slash at the end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/**
 * The absolute path of something in this checkout.
 * @param {...string} parts
 */
export function inProject(...parts) {
  return join(root, ...parts)
}

/**
 * The script of a development tool from the lockfile, to be run by `node24()`.
 * @param {string} name
 */
export function tool(name) {
  return inProject('node_modules', '.bin', name)
}

/**
 * What every program started from here gets: the tools first on PATH, and a compile cache, which makes a start about
 * three times as fast.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function programEnv(env = process.env) {
  const tools = inProject('node_modules', '.bin')
  const path = (env.PATH ?? '').split(delimiter).filter(folder => folder !== tools)
  return {
    ...env,
    PATH: [tools, ...path].join(delimiter),
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? inProject('node_modules', '.cache', 'node-compile'),
  }
}
