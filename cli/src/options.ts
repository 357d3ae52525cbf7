/** The options that commands share. */
import { resolve } from 'node:path'
import { type Config, loadConfig } from '@quarterdeck/control'
import { type Command, InvalidArgumentError } from 'commander'
import { root } from './root.ts'

export interface CommonOptions {
  home: string
  config?: string
  json?: true
}

export const withCommonOptions = (command: Command): Command =>
  command
    .option('--home <directory>', 'where everything is kept (QUARTERDECK_HOME)', absolute, defaultHome())
    .option('--config <file>', 'configuration (default: quarterdeck.yaml in the home)', absolute)
    .option('--json', 'for programs: one JSON document instead of text')

const defaultHome = () => resolve(process.env.QUARTERDECK_HOME || `${root}/.quarterdeck`)

const absolute = (path: string) => resolve(path)

export function port(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= 65535) return value
  throw new InvalidArgumentError('It must be a number from 0 to 65535.')
}

export function configOf({
  home,
  config,
  port: chosen,
}: CommonOptions & { port?: number | undefined }): Config {
  return loadConfig({ home, file: config, port: chosen ?? portFromEnvironment() })
}

function portFromEnvironment(): number | undefined {
  const text = process.env.QUARTERDECK_PORT
  return text ? port(text) : undefined
}
