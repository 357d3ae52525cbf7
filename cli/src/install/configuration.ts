/** quarterdeck.yaml of an installed environment: written once, the operator's from then on. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Fault } from '@quarterdeck/contract'
import { type Config, loadConfig } from '@quarterdeck/control/client'
import { places } from './places.ts'
import type { Step } from './step.ts'
import { controlUser, userOf } from './users.ts'
import { statOf, textOf, writeWhole } from './whole-file.ts'

export interface Choice {
  domain?: string
  port?: number
}

/** For those who know only the home, such as a backup. */
const linkInHome = join(places.control, 'quarterdeck.yaml')

export const configurationSteps = (choice: Choice): Step[] => [
  {
    what: `write ${places.config}`,
    isDone: () => statOf(places.config) !== undefined,
    // It may hold the password of a database.
    do: () =>
      writeWhole(places.config, configText(choice), { mode: 0o640, gid: userOf(controlUser)?.gid ?? 0 }),
  },
  {
    what: `link to it from ${linkInHome}`,
    isDone: () => statOf(linkInHome) !== undefined,
    do: () => symlinkSync(places.config, linkInHome),
  },
]

export function configText({ domain = 'localhost', port = 8300 }: Choice): string {
  return [
    '# Every option has a default; handbook/configuration.md lists them. After a change: qd install',
    `domain: ${domain}`,
    'listen:',
    `  port: ${port}`,
    '',
  ].join('\n')
}

/** What is in force once it is installed, checked before anything is changed. */
export function configOf(choice: Choice): Config {
  if (textOf(places.config) === undefined) return checked(choice)
  const config = loadConfig({ home: places.control, file: places.config })
  refuseOther('--domain', choice.domain, config.domain)
  refuseOther('--port', choice.port, config.listen.port)
  return config
}

function refuseOther(option: string, asked: unknown, found: unknown): void {
  if (asked === undefined || asked === found) return
  throw new Fault(
    'not_installable',
    `${option} ${asked} is not as in ${places.config}, which is there already and says ${found}. ` +
      'Change it in the file, then run qd install without the option.',
  )
}

function checked(choice: Choice): Config {
  const directory = mkdtempSync(join(tmpdir(), 'quarterdeck-install-'))
  const file = join(directory, 'quarterdeck.yaml')
  try {
    writeFileSync(file, configText(choice))
    return loadConfig({ home: places.control, file })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Fault('config_invalid', error.message.replaceAll(file, 'What is asked for'), { cause: error })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
