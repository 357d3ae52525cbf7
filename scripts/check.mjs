/** `npm run check`: everything that can be said about the tree without running the product. */
import { run } from './child.mjs'
import { node24 } from './node24.mjs'
import { hasColour, isMoving, paint, secondsSince, withProgress } from './progress.mjs'
import { inProject, programEnv, root, tool } from './project.mjs'
import { Stop } from './stop.mjs'

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} args for Node 24
 * @property {boolean} [speaks] its last line is worth showing when it passed
 */

/**
 * @param {boolean} colour
 * @returns {Step[]}
 */
function stepsOf(colour) {
  const script = (/** @type {string} */ name) => inProject('scripts', name)
  return [
    { name: 'types', args: [tool('tsc'), '--noEmit', '--pretty', String(colour)] },
    {
      name: 'lint, format, directions',
      args: [tool('biome'), 'check', colour ? '--colors=force' : '--colors=off', '.'],
    },
    { name: 'generated files', args: [script('generate.ts'), '--check'] },
    { name: 'documents', args: [script('check-documents.ts')], speaks: true },
    { name: 'lockfile', args: [script('check-lockfile.ts')] },
    { name: 'commit messages', args: [script('check-commits.ts')], speaks: true },
  ]
}

/** Runs every check, also after one failed, and ends with 1 if any did. */
export async function runChecks() {
  const steps = stepsOf(hasColour(process.stdout))
  const width = Math.max(...steps.map(step => step.name.length))
  /** @type {string[]} */
  const failed = []
  for (const step of steps) {
    if (!(await passes(step, width))) failed.push(step.name)
  }
  process.stdout.write(failed.length === 0 ? 'All checks passed.\n' : `Failed: ${failed.join('; ')}.\n`)
  return { code: failed.length === 0 ? 0 : 1, signal: null }
}

/**
 * @param {Step} step
 * @param {number} width
 */
async function passes(step, width) {
  const start = performance.now()
  const work = () => run(node24(), step.args, { cwd: root, env: programEnv(), capture: true })
  const result = await (isMoving(process.stdout) ? withProgress(step.name, work, process.stdout) : work())
  if (result.interruptedBy) throw new Stop('', { signal: result.interruptedBy })

  const passed = result.code === 0
  const sign = passed ? paint(process.stdout, 'green', 'ok    ') : paint(process.stdout, 'red', 'failed')
  const remark = passed && step.speaks ? `  ${paint(process.stdout, 'dim', lastLine(result.output))}` : ''
  process.stdout.write(`${sign}  ${step.name.padEnd(width)}  ${secondsSince(start).padStart(6)}${remark}\n`)
  if (!passed) process.stdout.write(`${result.output.trimEnd()}\n\n`)
  return passed
}

/** @param {string} text */
function lastLine(text) {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
