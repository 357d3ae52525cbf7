/** The log: JSON lines for programs, short lines for people. Secrets are masked in both. */
import { maskSecrets } from '@quarterdeck/contract'
import { type Logger, pino } from 'pino'
import { colours } from './colours.ts'

export const levels = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof levels)[number]

export function createLog(level: Level, forPeople: boolean): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    {
      write(line: string) {
        const masked = maskSecrets(line)
        process.stdout.write(forPeople ? readable(masked, level) : masked)
      },
    },
  )
}

/** `12:04:05 error  the message  key=value`, and a stack below it. */
function readable(line: string, wanted: Level): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>
  if (isRoutine(msg, rest) && wanted !== 'debug') return ''
  const { dim, red, yellow } = colours(process.stdout)
  const paint = level === 'error' || level === 'fatal' ? red : level === 'warn' ? yellow : dim
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const stack = (err as { stack?: string } | undefined)?.stack
  const parts = [
    dim(String(time).slice(11, 19)),
    paint(String(level).padEnd(5)),
    String(msg ?? ''),
    dim(details.join(' ')),
  ]
  return `${parts.join(' ').trimEnd()}\n${stack ? `${dim(stack)}\n` : ''}`
}

/** Whoever sits at the terminal looks for what is wrong; programs that read the log get every request. */
const isRoutine = (msg: unknown, { status }: Record<string, unknown>): boolean =>
  msg === 'request' && Number(status) < 400
