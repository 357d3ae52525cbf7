/** A program on a real terminal, answered as somebody sitting there would. */
import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'

const python = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)'

/** Of 120 columns; each question gets its answer when it is on the screen. */
export function onTerminal(
  command: readonly string[],
  answers: readonly [question: string, keys: string][],
  env: NodeJS.ProcessEnv = { PATH: process.env.PATH },
): Promise<{ code: number | null; screen: string }> {
  const wide = ['sh', '-c', 'stty cols 120 rows 40; exec "$@"', 'sh']
  const child = spawn('python3', ['-c', python, ...wide, ...command], { env: { ...env, TERM: 'xterm' } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const left = [...answers]
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', piece => {
    screen += piece
    const [question, keys] = left[0] ?? []
    if (!question || !screen.includes(question)) return
    left.shift()
    child.stdin.write(keys!)
  })
  return new Promise(resolve => child.once('close', code => resolve({ code, screen })))
}
