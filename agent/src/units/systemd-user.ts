/** A project's own user, and the one directory that is its. */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { RunFault } from '@quarterdeck/contract'
import { addUser, findUser, giveTree, userHome, userShell } from '../commands/users.ts'
import { userLine } from '../identity.ts'
import type { Layout } from '../layout.ts'
import type { SystemdCalls } from './systemd-calls.ts'
import { userName } from './systemd-names.ts'
import { Turns } from './turns.ts'

/** The list of users has one lock, and useradd does not wait for it. */
const making = new Turns()

const commentOf = (project: string) => `Quarterdeck project ${project}`

/** Makes what is not there; a user of this name that is somebody else's fails it, and is left alone. */
export async function provideUser(calls: SystemdCalls, layout: Layout): Promise<void> {
  const name = userName(layout.project)
  const line =
    userLine(name) ?? (await ask(calls, name)) ?? (await making.take(() => make(calls, name, layout.project)))
  await provideData(calls, layout, name, refuseForeign(line, name, layout.project))
}

async function ask(calls: SystemdCalls, name: string): Promise<string | undefined> {
  const { code, stdout } = await calls.call(findUser(name))
  return code === 0 ? stdout.trim() : undefined
}

/** Another unit of the project may have made it meanwhile: what is there afterwards counts. */
async function make(calls: SystemdCalls, name: string, project: string): Promise<string> {
  const { stderr } = await calls.call(addUser(name, commentOf(project)))
  const line = await ask(calls, name)
  if (line) return line
  throw new RunFault('restart_failed', `The user ${name} could not be made: ${stderr.trim()}`)
}

/** `name:x:uid:gid:comment:home:shell`, passwd(5). Its uid. */
function refuseForeign(line: string, name: string, project: string): number {
  const [, , uid = '', , comment, home, shell] = line.split(':')
  if (Number(uid) > 0 && comment === commentOf(project) && home === userHome && shell === userShell)
    return Number(uid)
  throw new RunFault(
    'restart_failed',
    `The user ${name} is there and was not made by Quarterdeck (uid ${uid}, home ${home}, shell ${shell}): ` +
      `the project needs another name, or the user must go ("userdel ${name}").`,
  )
}

/** Its content is given along only when the directory changes hands: later, all that is in it is the service's own doing. */
async function provideData(calls: SystemdCalls, layout: Layout, user: string, uid: number): Promise<void> {
  mkdirSync(layout.data, { recursive: true, mode: 0o700 })
  const stat = lstatSync(layout.data)
  if (!stat.isDirectory())
    throw new RunFault(
      'restart_failed',
      `${layout.data} is not a directory: it must hold the project’s data.`,
    )
  if (stat.uid !== uid) await calls.must(giveTree(layout.data, user))
  chmodSync(layout.data, 0o700)
  // The service walks through it, to its release and its data; what else is in it has its own permissions.
  chmodSync(layout.root, lstatSync(layout.root).mode | 0o011)
}
