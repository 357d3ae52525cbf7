/** The options that commands share. */
import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Config, loadConfig } from '@quarterdeck/control/client'
import { Command, InvalidArgumentError, Option } from 'commander'
import { places } from './install/places.ts'
import { root } from './root.ts'

/** They write the home: as its owner alone, or the service could not read what they leave there. */
const writers = ['up', 'agent', 'restore']

export interface CommonOptions {
  home: string
  config?: string
  json?: true
}

export const withCommonOptions = (command: Command): Command =>
  command
    .option(
      '--home <directory>',
      'where everything is kept (QUARTERDECK_HOME)',
      absolute,
      defaultHome(command.name()),
    )
    .option('--config <file>', 'configuration (default: quarterdeck.yaml in the home)', absolute)
    .option('--json', 'for programs: one JSON document instead of text')

/** That of an installed environment where there is one (see qd install), else one beside the code. */
export function defaultHome(command = ''): string {
  const named = process.env.QUARTERDECK_HOME
  if (named) return resolve(named)
  return isUsable(places.control, writers.includes(command)) ? places.control : `${root}/.quarterdeck`
}

function isUsable(home: string, toWrite: boolean): boolean {
  try {
    accessSync(home, constants.R_OK | constants.X_OK)
    return !toWrite || statSync(home).uid === process.getuid?.()
  } catch {
    return false
  }
}

/** Of commands that ask a running environment, here or elsewhere. */
export interface ApiOptions {
  home?: string
  url?: string
  json?: true
}

/** Heading of the help. */
export const commonOptions = 'Options of every command:'

/** A command that asks a running environment. */
export function apiCommand(name: string, description: string): Command {
  const command = new Command(name).description(description)
  const common = [
    new Option('--home <directory>', 'of the environment on this machine (QUARTERDECK_HOME)').argParser(
      absolute,
    ),
    new Option('--url <address>', 'admin host of one elsewhere (QUARTERDECK_URL, with QUARTERDECK_TOKEN)'),
    new Option('--json', 'for programs: JSON instead of text'),
  ]
  for (const option of common) command.addOption(option.helpGroup(commonOptions))
  return command
}

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
