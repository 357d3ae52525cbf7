import { type Logger, pino } from 'pino'

/** A log that is kept, line by line, for the test to look at. */
export function memoryLog(): { log: Logger; lines: Record<string, unknown>[]; text(): string } {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
  return { log, lines, text: () => JSON.stringify(lines) }
}
