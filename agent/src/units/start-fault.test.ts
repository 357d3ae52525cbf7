import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { launch } from '../runner.ts'
import { startFault } from './start-fault.ts'

/** As the system really says it. */
async function reasonFor(file: string, cwd: string): Promise<string> {
  const program = { file, args: [], cwd, env: {} }
  const error = await launch(program, { logFile: '/dev/null', tag: 'test' }).catch(error => error)
  return startFault('hello/web', program, error).message
}

test('the reason names what is missing', async () => {
  const directory = temporaryDirectory()
  const script = join(directory, 'script')
  const begins = 'hello/web could not be started: '
  expect(await reasonFor(script, directory)).toBe(`${begins}the program ${script} does not exist.`)
  expect(await reasonFor('/bin/true', script)).toBe(`${begins}its directory ${script} does not exist.`)
  writeFileSync(script, '#!/nowhere/python\n', { mode: 0o600 })
  expect(await reasonFor(script, directory)).toBe(`${begins}the program ${script} may not be run.`)
  const runnable = `${script}.sh`
  writeFileSync(runnable, '#!/nowhere/python\n', { mode: 0o700 })
  expect(await reasonFor(runnable, directory)).toBe(
    `${begins}the interpreter named in ${runnable} does not exist.`,
  )
})
