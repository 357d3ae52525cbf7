import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRequirements } from './requirements.ts'
import { writeFiles } from './under-test.ts'

const releaseOf = (files: Record<string, string | Buffer>) => {
  const release = join(temporaryDirectory(), 'release')
  mkdirSync(release)
  return writeFiles(release, files)
}

const read = (release: string, variables = {}) => readRequirements(release, variables)
const identity = async (release: string) => JSON.stringify((await read(release)).identity)

/** Whether the change of files is a change of what is needed. */
const matters = async (release: string, change: () => unknown) => {
  const before = await identity(release)
  change()
  return (await identity(release)) !== before
}

test('no requirements.txt is an empty list', async () => {
  expect(await read(releaseOf({}))).toEqual({ lists: [], count: 0, identity: [] })
  expect(await read(releaseOf({ 'requirements.txt': '' }))).toMatchObject({
    lists: ['requirements.txt'],
    count: 0,
  })
})

test('lists are followed from where they are named; constraints are not counted', async () => {
  const release = releaseOf({
    'requirements.txt': 'a\n-r lists/more.txt\n-r https://example.test/list.txt',
    'lists/more.txt': 'b\n-c ../limits.txt\n',
    'limits.txt': 'c<1\nd<2',
  })
  expect(await read(release)).toMatchObject({
    lists: ['requirements.txt', 'lists/more.txt', 'limits.txt'],
    count: 2,
  })
  expect(await matters(release, () => writeFiles(release, { 'limits.txt': 'c<2\nd<2' }))).toBe(true)
})

test('a list that two others name is read for both', async () => {
  const release = releaseOf({
    'requirements.txt': '-r a.txt\n-r b.txt',
    'a.txt': '-r c.txt',
    'b.txt': '-r c.txt',
    'c.txt': 'x',
  })
  expect((await read(release)).lists).toEqual(['requirements.txt', 'a.txt', 'c.txt', 'b.txt'])
})

const many = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`${at}.txt`, `-r ${at + 1}.txt`]))
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [`${at}.txt`, `-r ${at + 1}.txt\n-r ${at + 1}.txt`]),
)

test.each([
  [
    { 'requirements.txt': 'a\n-r requirements.txt' },
    'requirements.txt line 2 names requirements.txt, which leads back here.',
  ],
  [
    { 'requirements.txt': '-r a.txt', 'a.txt': '\n\n-c requirements.txt' },
    'a.txt line 3 names requirements.txt, which leads back here.',
  ],
  [
    { 'requirements.txt': '-r ../../etc/passwd' },
    'requirements.txt line 1 names ../../etc/passwd, which is outside the release.',
  ],
  [
    { 'requirements.txt': '-r gone.txt' },
    'requirements.txt line 1 names gone.txt, which is not in the release.',
  ],
  [{ 'requirements.txt': '-r .' }, /which is not a file/],
  [{ 'requirements.txt': '-r file:///etc/passwd' }, /which is outside the release/],
  [{ 'requirements.txt': '#'.repeat(1024 * 1024 + 1) }, 'requirements.txt is larger than 1 MiB.'],
  [
    { 'requirements.txt': '-r 0.txt', ...many },
    /^98.txt line 1 names 99.txt, which is more than the 100th list/,
  ],
  [{ 'requirements.txt': '-r 0.txt', ...doubling, '40.txt': '' }, /more than the 100th list/],
])('a list that goes wrong is refused with file and line %#', async (files, message) => {
  await expect(read(releaseOf(files as Record<string, string>))).rejects.toMatchObject({
    code: 'install_failed',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })
})

test('a link may not lead out of the release, be it of a file or a directory', async () => {
  const release = releaseOf({ 'requirements.txt': '-r lists/passwd' })
  symlinkSync('/etc', join(release, 'lists'))
  await expect(read(release)).rejects.toThrow('lists/passwd, which leads out of the release')
})

const blank = fc.constantFrom('', ' ', '  ', '\t')
const remark = fc.constantFrom('', ' # why', '  #', '\t# a==1')
const between = fc.constantFrom('', '\n', '\n# -r nowhere.txt\n', '\r\n', ' \n\n')

test('comments and whitespace change nothing', async () => {
  const lines = ['flask>=2,<3', 'a[x]==1;python_version<"4"', '-c limits.txt', 'b @ https://h.test/b.whl']
  const release = releaseOf({ 'requirements.txt': lines.join('\n'), 'limits.txt': 'c<1' })
  const plain = await identity(release)
  const layout = fc.array(fc.tuple(between, blank, blank, remark), { minLength: 4, maxLength: 4 })
  const property = fc.asyncProperty(layout, async places => {
    const text = lines.map((line, at) => {
      const [before, indent, gap, after] = places[at]!
      const spaced =
        line.includes('/') || line.startsWith('-')
          ? line
          : line.replaceAll(/([,;]|[<>=]=|<)/g, `${gap}$1${gap}`)
      return `${before}${indent}${spaced}${after}`
    })
    writeFiles(release, { 'requirements.txt': text.join('\n') })
    expect(await identity(release)).toBe(plain)
  })
  await fc.assert(property, { numRuns: 200 })
})

test('every other change does', async () => {
  const release = releaseOf({ 'requirements.txt': 'a==1\n' })
  const write = (text: string) => () => writeFiles(release, { 'requirements.txt': text })
  for (const text of ['a==2', 'a==2\nb', 'a==2\n--pre\nb', 'a==2 --hash=sha256:1', '# a==2', 'a==2#x'])
    expect(await matters(release, write(text))).toBe(true)
})

test('a wheel in the release counts by its content', async () => {
  for (const line of [
    './w/a-1-py3-none-any.whl',
    'a @ file:w/a-1-py3-none-any.whl',
    '--find-links w\na',
    '-f ./w\na',
  ]) {
    const release = releaseOf({ 'requirements.txt': line, 'w/a-1-py3-none-any.whl': 'one' })
    expect(await matters(release, () => writeFiles(release, { 'w/a-1-py3-none-any.whl': 'two' })), line).toBe(
      true,
    )
    expect(await matters(release, () => writeFiles(release, { 'elsewhere/x.whl': 'x' })), line).toBe(false)
  }
})

test('a directory of wheels that the agent names within the release counts too', async () => {
  const release = releaseOf({ 'requirements.txt': 'a', 'w/a.whl': 'one' })
  const before = await read(release, { PIP_FIND_LINKS: '/nowhere w' })
  writeFiles(release, { 'w/a.whl': 'two' })
  expect(await read(release, { PIP_FIND_LINKS: '/nowhere w' })).not.toEqual(before)
})

test('a directory counts by its files, without what a build leaves there', async () => {
  const release = releaseOf({
    'requirements.txt': './lib[extra] ; python_version > "3"',
    'lib/lib.py': 'one',
  })
  const change = (name: string) => matters(release, () => writeFiles(release, { [name]: 'x' }))
  expect(await change('lib/lib.egg-info/PKG-INFO')).toBe(false)
  expect(await change('lib/build/lib/lib.py')).toBe(false)
  expect(await change('lib/__pycache__/lib.pyc')).toBe(false)
  expect(await change('app.py')).toBe(false)
  expect(await change('lib/build/tracked.py')).toBe(true)
  expect(await change('lib/lib.py')).toBe(true)
  expect(await matters(release, () => rmSync(join(release, 'lib/lib.py')))).toBe(true)
})

test('an editable package belongs to its release', async () => {
  const [one, two] = [1, 2].map(() => releaseOf({ 'requirements.txt': '-e .', 'a.py': '' }))
  expect(await identity(one!)).not.toBe(await identity(two!))
  const [three, four] = [1, 2].map(() => releaseOf({ 'requirements.txt': '.', 'a.py': '' }))
  expect(await identity(three!)).toBe(await identity(four!))
})

test('a list that Windows wrote is read', async () => {
  const utf16 = Buffer.from('\ufeffflask==2\r\n', 'utf16le')
  const [windows, plain] = [
    releaseOf({ 'requirements.txt': utf16 }),
    releaseOf({ 'requirements.txt': 'flask==2' }),
  ]
  expect(await identity(windows)).toBe(await identity(plain))
})
