/** The programs that make a project's own user, as data. They are never started here. */
import type { Program } from '../runner.ts'

const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

const program = (file: string, ...args: string[]): Program => ({ file, args, cwd: '/', env })

/** What a user of ours looks like in the list of users; one that looks different is somebody else's. */
export const userHome = '/nonexistent'
export const userShell = '/usr/sbin/nologin'

/** Prints the user's line of the list of users; ends with 2 if there is none. */
export const findUser = (name: string): Program => program('getent', 'passwd', '--', name)

/** A user that nobody can log in as, with a group of the same name. */
export const addUser = (name: string, comment: string): Program =>
  program(
    'useradd',
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    userHome,
    '--shell',
    userShell,
    '--comment',
    comment,
    '--',
    name,
  )

/** Gives it a directory with all that is in it. Links are given themselves, never what they point to. */
export const giveTree = (directory: string, user: string): Program =>
  program('chown', '--recursive', '--no-dereference', '-P', `${user}:${user}`, '--', directory)
