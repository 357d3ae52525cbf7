/** The only place of `qd init` that starts programs: argument arrays, to their end. */
import { execFile } from 'node:child_process'
import { Fault } from '@quarterdeck/contract'

const limitMs = 60_000

export interface Ran {
  /** null: there is no such program, or it was ended. */
  code: number | null
  missing: boolean
  stdout: string
  stderr: string
}

export interface Surroundings {
  cwd?: string
  env?: Readonly<Record<string, string>>
  /** Ends the program. */
  signal?: AbortSignal | undefined
}

export function run(
  file: string,
  args: readonly string[],
  { cwd, env, signal }: Surroundings = {},
): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>()
  const surroundings = { cwd, env: { ...withoutGit(process.env), LC_ALL: 'C.UTF-8', ...env } }
  const options = { ...surroundings, timeout: limitMs, ...(signal && { signal }) }
  const child = execFile(file, args, options, (error, stdout, stderr) => {
    const code = error ? (typeof error.code === 'number' ? error.code : null) : 0
    resolve({ code, missing: (error?.code as unknown) === 'ENOENT', stdout, stderr })
  })
  child.stdin?.end()
  return promise
}

/** Throws with what it said when it fails. */
export async function must(
  file: string,
  args: readonly string[],
  { neededFor = '', ...surroundings }: Surroundings & { neededFor?: string } = {},
): Promise<string> {
  const { code, missing, stdout, stderr } = await run(file, args, surroundings)
  if (code === 0) return stdout
  const why = neededFor && ` (${neededFor})`
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-5).join('\n')
  const what = missing
    ? `${file} is not installed${why}.`
    : `${file} failed${why}: ${said || 'it said nothing'}`
  throw new Fault('program_missing', `${what} Nothing was written.`)
}

/** Where a hook of another repository runs us, these name that one. */
const withoutGit = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX)$/.test(name)),
  )
