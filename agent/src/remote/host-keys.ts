/** By which keys an ssh host is known, as it shows them to this machine. Whether they are right, a person decides. */
import { type HostKeysSeen, publicKey } from '@quarterdeck/contract'
import { scanHostKeys } from '../commands/ssh.ts'
import type { Machine } from '../machine.ts'
import { type Finished, run } from '../runner.ts'

const limitMs = 20_000
const most = 20

export async function seeHostKeys(
  { custody }: Pick<Machine, 'custody'>,
  { host, port }: { host: string; port: number },
): Promise<HostKeysSeen> {
  const program = scanHostKeys(host, port, custody.git)
  const options = { signal: AbortSignal.timeout(limitMs), timeoutMs: limitMs, tag: 'host-keys' }
  try {
    const finished = await run(program, options)
    const keys = keysIn(finished.stdout)
    return { keys, problem: keys.length > 0 ? null : whyNone(finished) }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isMissing) throw error
    return { keys: [], problem: 'ssh-keyscan is not installed there; Debian has it in openssh-client.' }
  }
}

/** What the other end says is only taken if it looks like a key. */
export function keysIn(stdout: string): string[] {
  const keys = stdout
    .split('\n')
    .filter(line => !line.startsWith('#'))
    .map(line => line.trim().split(/\s+/).slice(1, 3).join(' '))
    .filter(key => publicKey.safeParse(key).success)
  return [...new Set(keys)].slice(0, most)
}

function whyNone({ stderr, timedOut, cancelled }: Finished): string {
  if (timedOut || cancelled) return 'It does not answer in time.'
  const said = stderr
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
  const last = said
    .at(-1)
    ?.replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 300)
  return last ? `ssh-keyscan says: ${last}` : 'It does not answer, or does not speak ssh.'
}
