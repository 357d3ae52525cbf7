/** Removal that a read-only directory does not stop: environments and a project's own files may be so. */
import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** What is being removed is called so first: half of a release is never taken for one. */
export const goingPrefix = '.going-'

/** Takes the whole tree away, or throws. Links are removed, never followed. */
export async function removeTree(path: string): Promise<void> {
  if (!(await lstat(path).catch(() => null))) return
  if (basename(path).startsWith(goingPrefix)) return await removeForGood(path)
  const going = join(dirname(path), `${goingPrefix}${basename(path)}`)
  await removeForGood(going)
  await rename(path, going)
  await removeForGood(going)
}

async function removeForGood(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await makeWritable(path)
    await rm(path, { recursive: true, force: true })
  }
}

async function makeWritable(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return
  await chmod(path, 0o700)
  for (const name of await readdir(path)) await makeWritable(join(path, name))
}
