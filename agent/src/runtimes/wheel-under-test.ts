/** Python packages made by hand, so that pip has something to install without the internet. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

export interface WheelUnderTest {
  readonly name: string
  readonly version: string
  /** Of its one module; without it, `told` is the version. */
  readonly source?: string
  readonly requires?: readonly string[]
  /** A command of that name prints what `told` is. */
  readonly script?: string
}

/** Writes the wheel into the directory and returns its path. */
export function writeWheel(directory: string, wheel: WheelUnderTest): string {
  const { name, version, source = `told = ${JSON.stringify(version)}\n`, requires = [], script } = wheel
  const info = `${name}-${version}.dist-info`
  const needs = requires.map(each => `Requires-Dist: ${each}\n`).join('')
  const files: Record<string, string> = {
    [`${name}/__init__.py`]: `${source}\ndef main():\n    print(told)\n`,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needs}`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/entry_points.txt`]: script ? `[console_scripts]\n${script} = ${name}:main\n` : '',
  }
  const record = [...Object.keys(files), `${info}/RECORD`].map(file => `${file},,\n`).join('')
  mkdirSync(directory, { recursive: true })
  const path = join(directory, `${name}-${version}-py3-none-any.whl`)
  writeFileSync(path, zip({ ...files, [`${info}/RECORD`]: record }))
  return path
}

/** A zip archive of stored files. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)]
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x21, 8)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(path.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    local.push(Buffer.from('PK\x03\x04'), common, path, data)
    central.push(Buffer.from('PK\x01\x02\x14\x00'), common, rest, path)
    offset += 30 + path.length + data.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, directory, end])
}

/** A package as sources, with a build back end of its own, since there is no setuptools to fetch. */
export function writeSources(directory: string, name: string, told: string, beforeBuild = ''): void {
  mkdirSync(join(directory, name), { recursive: true })
  writeFileSync(join(directory, name, '__init__.py'), `told = ${JSON.stringify(told)}\n`)
  writeFileSync(
    join(directory, 'pyproject.toml'),
    `[project]\nname = "${name}"\nversion = "1"\n[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n`,
  )
  writeFileSync(join(directory, 'backend.py'), backend(name, beforeBuild))
}

const backend = (name: string, beforeBuild: string) => `
import os, zipfile
def wheel(directory, files):
    info = '${name}-1.dist-info'
    files[info + '/METADATA'] = 'Metadata-Version: 2.1\\nName: ${name}\\nVersion: 1\\n'
    files[info + '/WHEEL'] = 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'
    files[info + '/RECORD'] = ''.join(f + ',,\\n' for f in [*files, info + '/RECORD'])
    with zipfile.ZipFile(os.path.join(directory, '${name}-1-py3-none-any.whl'), 'w') as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return '${name}-1-py3-none-any.whl'
def build_wheel(directory, config_settings=None, metadata_directory=None):
${beforeBuild.replaceAll(/^/gm, '    ')}
    return wheel(directory, {'${name}/__init__.py': open('${name}/__init__.py').read()})
def build_editable(directory, config_settings=None, metadata_directory=None):
    return wheel(directory, {'${name}.pth': os.getcwd()})
`
