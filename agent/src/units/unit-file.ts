/** The text of a unit file: sections of directives, and a first line that tells ours from others and whether it was edited. */
import { sealed } from '@quarterdeck/contract'

export type Directive = readonly [name: string, value: string]

export interface Section {
  readonly name: 'Unit' | 'Service' | 'Socket' | 'Timer' | 'Install'
  readonly directives: readonly Directive[]
}

/** `file` is its name, such as `qd-hello.service`. */
export function unitText(file: string, sections: readonly Section[]): string {
  const body = `${sections.map(sectionText).join('\n\n')}\n`
  const advice = `Edits are replaced; "systemctl edit ${file}" makes a drop-in, which is kept.`
  return sealed(body, advice)
}

function sectionText({ name, directives }: Section): string {
  return [`[${name}]`, ...directives.map(([key, value]) => `${key}=${value}`)].join('\n')
}
