/** The text of a unit file. */
import { sealed } from '@quarterdeck/contract'

export type Directive = readonly [name: string, value: string]

export interface Section {
  readonly name: 'Unit' | 'Service' | 'Install'
  readonly directives: readonly Directive[]
}

/** `file` is its name, such as `quarterdeck.service`. */
export function unitText(file: string, sections: readonly Section[]): string {
  const texts = sections.map(({ name, directives }) =>
    [`[${name}]`, ...directives.map(([key, value]) => `${key}=${value}`)].join('\n'),
  )
  const advice = `By "qd install"; edits are replaced, "systemctl edit ${file}" makes a drop-in, which is kept.`
  return sealed(`${texts.join('\n\n')}\n`, advice)
}

/** One word, as systemd reads it back unchanged (systemd.syntax(7)); line breaks in paths are refused before. */
export const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`

/** `:` before the program: nothing in the arguments is a variable. */
export const commandLine = (file: string, ...args: string[]): string =>
  [`:${file.replaceAll('%', '%%')}`, ...args.map(quoted)].join(' ')
