/** Root runs the code where it lies: nobody else may be able to change it, and control's user must be able to read it. */
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { Fault } from '@quarterdeck/contract'
import type { Code } from './places.ts'

/** The units do not see what is below these. */
const hidden = ['/home', '/root', '/run', '/tmp', '/var/tmp']

export function refuseUnsafePlace({ root, node }: Code): void {
  const problem = placeProblem(root) ?? placeProblem(node)
  if (!problem) return
  throw new Fault(
    'not_installable',
    `${problem} Services run the code where it lies: move it to /opt/quarterdeck ` +
      '(git clone there as root, npm ci), and run qd install from there.',
  )
}

/** Undefined: it is safe. */
export function placeProblem(path: string): string | undefined {
  if (/[\s\p{Cc}"'\\]/u.test(path))
    return `The path ${JSON.stringify(path)} has characters that a launcher cannot hold.`
  const below = hidden.find(place => path === place || path.startsWith(`${place}/`))
  if (below) return `${path} lies below ${below}.`
  for (const place of [...upwards(path), ...entries(path)]) {
    const problem = rightsProblem(place, lstatSync(place))
    if (problem) return problem
  }
}

export function rightsProblem(
  path: string,
  stat: Pick<Stats, 'uid' | 'gid' | 'mode' | 'isSymbolicLink'>,
): string | undefined {
  if (stat.uid !== 0) return `${path} is not root’s (uid ${stat.uid}).`
  if (stat.isSymbolicLink()) return undefined
  const writable = stat.mode & 0o002 || (stat.mode & 0o020 && stat.gid !== 0)
  if (writable) return `${path} can be written by others than root.`
  if (!(stat.mode & 0o004)) return `${path} cannot be read by others than root, so not by quarterdeck.`
}

function* upwards(path: string): Generator<string> {
  yield path
  if (dirname(path) !== path) yield* upwards(dirname(path))
}

/** Names that begin with a dot are not code: .git, an environment of `npm start`. */
function* entries(path: string): Generator<string> {
  if (!lstatSync(path).isDirectory()) return
  for (const name of readdirSync(path)) {
    if (name.startsWith('.')) continue
    yield join(path, name)
    yield* entries(join(path, name))
  }
}
