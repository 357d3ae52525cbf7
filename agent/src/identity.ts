/** As whom a program runs on a server: never as the agent, which is root there. */
import { readFileSync } from 'node:fs'

export interface Identity {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** Undefined: there is no such user. */
export function identityOf(name: string, passwd = readFileSync('/etc/passwd', 'utf8')): Identity | undefined {
  const fields = passwd
    .split('\n')
    .map(line => line.split(':'))
    .find(([user]) => user === name)
  return fields && { name, uid: Number(fields[2]), gid: Number(fields[3]) }
}
