/** A Procfile: `web:` and other processes, each a line; `release:` is what runs before the restart. */
import { commandOf, withoutOwnBind } from './command-line.ts'
import type { Files, Found, GuessedProcess } from './guessed.ts'

const nameable = /^[a-z][a-z0-9-]{0,62}$/

interface FromProcfile {
  processes: Found<GuessedProcess[]>
  beforeRestart?: Found<string[]>
}

export function fromProcfile(files: Files, notes: string[]): FromProcfile | undefined {
  const lines = (files.get('Procfile') ?? '').split('\n').flatMap(line => {
    const [, name, command] = /^([\w-]+):\s*(\S.*)$/.exec(line.trim()) ?? []
    return name && command ? [{ name, command }] : []
  })
  const processes: GuessedProcess[] = []
  let beforeRestart: Found<string[]> | undefined
  for (const { name, command } of lines.slice(0, 20)) {
    const read = commandOf(command)
    if ('shell' in read) {
      notes.push(
        `${name} in the Procfile needs a shell (${read.shell}), and none is involved here: give its command as words`,
      )
    } else if (name === 'release') beforeRestart = { value: read.words, why: 'release in the Procfile' }
    else if (nameable.test(name)) processes.push({ name, start: withoutOwnBind(read.words) })
  }
  const [web, ...others] = [
    ...processes.filter(({ name }) => name === 'web'),
    ...processes.filter(({ name }) => name !== 'web'),
  ]
  // Without web it would be a project of workers alone, which nobody has said it is.
  if (web?.name !== 'web') return undefined
  const why = others.length > 0 ? 'its Procfile' : 'web in its Procfile'
  return { processes: { value: [web, ...others], why }, ...(beforeRestart && { beforeRestart }) }
}
