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
export function identityOf(name: string, passwd = readFileSync('/etc/passwd', 'utf8')): Identity | undefined {
  const fields = passwd
    .split('\n')
    .map(line => line.split(':'))
    .find(([user]) => user === name)
  return fields && { name, uid: Number(fields[2]), gid: Number(fields[3]) }
}
