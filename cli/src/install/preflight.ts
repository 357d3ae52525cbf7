/** What must be so before anything is changed. */
import { existsSync } from 'node:fs'
import { Fault } from '@quarterdeck/contract'

export interface Ground {
  uid: number | undefined
  /** sd_booted(3). */
  hasSystemd: boolean
}

const here = (): Ground => ({ uid: process.getuid?.(), hasSystemd: existsSync('/run/systemd/system') })

export function refuseUnlessServer(verb: string, { uid, hasSystemd }: Ground = here()): void {
  if (uid !== 0) throw new Fault('not_installable', `Only root can do this. Run it as root: sudo qd ${verb}.`)
  if (!hasSystemd)
    throw new Fault('not_installable', 'This machine does not run systemd, which the services need.')
}
