/** As whom a program runs on a server: never as the agent, which is root there. */
import { readFileSync, statSync } from 'node:fs'

export interface Identity {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** Who owns a place, with their home. Undefined: nobody that the machine knows. */
export function ownerOf(
  path: string,
  passwd = readFileSync('/etc/passwd', 'utf8'),
): (Identity & { readonly home: string }) | undefined {
  const { uid } = statSync(path)
  const fields = passwd
    .split('\n')
    .map(line => line.split(':'))
    .find(([, , id]) => id === String(uid))
  return fields && { name: fields[0]!, uid, gid: Number(fields[3]), home: fields[5] ?? '/' }
}

/** Undefined: there is no such user. */
export function identityOf(name: string): Identity | undefined {
  const fields = userLine(name)?.split(':')
  return fields && { name, uid: Number(fields[2]), gid: Number(fields[3]) }
}

/** As passwd(5) has it. Undefined: the machine's own list has no such user; a directory of the network may. */
export function userLine(name: string): string | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.find(line => line.startsWith(`${name}:`))
}
