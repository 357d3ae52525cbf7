/** The users of the environment: system users that nobody can log in as. */
import { existsSync } from 'node:fs'
import { Fault } from '@quarterdeck/contract'
import { places } from './places.ts'
import { must, run } from './run.ts'
import type { Act, Step } from './step.ts'

export const controlUser = 'quarterdeck'
export const buildUser = 'qd-build'

/** Ours are known by it when they are to be removed. */
const comments: Record<string, string> = {
  [controlUser]: 'Quarterdeck control',
  [buildUser]: 'Quarterdeck builds',
}
/** As the agent makes them. */
const projectComment = /^Quarterdeck project /

const firstLoginUid = 1000
const noLogins = ['/usr/sbin/nologin', '/sbin/nologin', '/bin/false', '/usr/bin/false']

export interface User {
  name: string
  uid: number
  gid: number
  comment: string
  shell: string
}

/** Undefined: there is none. */
export function userOf(name: string): User | undefined {
  const { code, stdout } = run('getent', 'passwd', '--', name)
  return code === 0 ? parseUser(stdout.trim()) : undefined
}

/** passwd(5). */
export function parseUser(line: string): User {
  const [name = '', , uid, gid, comment = '', , shell = ''] = line.split(':')
  return { name, uid: Number(uid), gid: Number(gid), comment, shell }
}

/** Why a user that is there cannot be the environment's; undefined: it can. */
export function misfitOf({ name, uid, shell }: User): string | undefined {
  if (uid === 0) return `The user ${name} is root by its uid.`
  if (uid >= firstLoginUid) return `The user ${name} is there and is no system user (uid ${uid}).`
  if (!noLogins.includes(shell))
    return `The user ${name} is there and can log in (shell ${shell || '/bin/sh'}).`
}

export function refuseMisfits(users: readonly (User | undefined)[]): void {
  for (const user of users) {
    const misfit = user && misfitOf(user)
    if (misfit) throw new Fault('not_installable', `${misfit} Rename or remove it: the name is needed.`)
  }
}

export const userSteps = (): Step[] => [
  userStep(controlUser, places.control),
  userStep(buildUser, places.cache),
]

function userStep(name: string, home: string): Step {
  return {
    what: `make the user ${name}`,
    isDone: () => userOf(name) !== undefined,
    do: () => void must('useradd', ...userOptions(name, home)),
    undo: removal(name, user => user.comment === comments[name]),
  }
}

function userOptions(name: string, home: string): string[] {
  const hasGroup = run('getent', 'group', '--', name).code === 0
  return [
    '--system',
    ...(hasGroup ? ['--gid', name] : ['--user-group']),
    '--no-create-home',
    ...['--home-dir', home],
    ...['--shell', noLogins.find(shell => existsSync(shell)) ?? '/bin/false'],
    ...['--comment', comments[name] ?? name],
    name,
  ]
}

/** Those of the projects, which the agent made. */
export const projectUserRemovals = (): Act[] =>
  must('getent', 'passwd')
    .split('\n')
    .map(parseUser)
    .filter(
      user => user.name.startsWith('qd-') && projectComment.test(user.comment) && user.uid < firstLoginUid,
    )
    .map(({ name }) => removal(name, () => true))

/** A user that someone else made stays. */
function removal(name: string, isOurs: (user: User) => boolean): Act {
  return {
    what: `remove the user ${name}`,
    isDone() {
      const user = userOf(name)
      return !user || !isOurs(user)
    },
    do: () => void must('userdel', name),
  }
}
