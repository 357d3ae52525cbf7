/** Who may read what is written: homes hold secrets, so this user alone; a project is as this user’s files are. */

let callers = 0o022

/** For everything that follows. */
export function closeUmask(): void {
  callers = process.umask(0o077)
}

export async function withCallersUmask<T>(work: () => Promise<T>): Promise<T> {
  const closed = process.umask(callers)
  try {
    return await work()
  } finally {
    process.umask(closed)
  }
}
