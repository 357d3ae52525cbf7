/** Variables as a file that systemd reads (`EnvironmentFile=`), and that we read again. */

/** What stands for something else inside of double quotes. */
const special = /["\\`$]/g
const assignment = /^([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"$/gms

export function environmentText(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${value.replace(special, '\\$&')}"\n`)
    .join('')
}

/** Of what `environmentText` has written. */
export function readEnvironmentText(text: string): Record<string, string> {
  const found = [...text.matchAll(assignment)]
  return Object.fromEntries(found.map(([, name, value]) => [name!, value!.replace(/\\(.)/gs, '$1')]))
}
