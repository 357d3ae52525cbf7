/** Colours on terminals only. */
import { isatty } from 'node:tty'
import pc from 'picocolors'

export const colours = (stream: { fd: number }) =>
  pc.createColors(isatty(stream.fd) && process.env.NO_COLOR === undefined && process.env.TERM !== 'dumb')
