/** A package that requirements can name: what it says tells its version. */
import type { Machine } from '@quarterdeck/testing'

/** As `/srv/greeting-VERSION-py3-none-any.whl`; its `text` is `text`. */
export async function makeWheel(machine: Machine, version: string, text: string): Promise<void> {
  await machine.ok('python3', '-c', script, version, text)
}

const script = `
import sys, zipfile
version, text = sys.argv[1:]
info = f'greeting-{version}.dist-info'
with zipfile.ZipFile(f'/srv/greeting-{version}-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('greeting.py', f'text = {text!r}\\n')
    wheel.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\\nName: greeting\\nVersion: {version}\\n')
    wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(f'{info}/RECORD', '')
`
