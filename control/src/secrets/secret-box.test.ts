import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Store } from '#store'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { SecretBox } from './secret-box.ts'

async function boxUnderTest() {
  const home = temporaryDirectory()
  const store = await Store.open(sqliteEngine(join(home, 'database.sqlite')))
  onTestFinished(() => store.close())
  const box = new SecretBox(home)
  const seal = (text: string, purpose = 'project/hello/hook') =>
    store.write(transaction => box.seal(transaction, text, purpose))
  /** As a capability does. */
  const keep = (project: string, hook_secret: string | null) =>
    store.write(transaction =>
      transaction
        .insertInto('forge')
        .values({ project, hook_secret } as never)
        .execute(),
    )
  const forget = () => store.write(transaction => transaction.deleteFrom('forge').execute())
  return { home, file: join(home, 'secret.key'), store, box, seal, keep, forget }
}

const unusable = (detail: RegExp) =>
  expect.objectContaining({ code: 'secret_key_unusable', message: expect.stringMatching(detail) })

test('what is sealed can be read again, is never the same twice, and shows nothing', async () => {
  const { box, seal } = await boxUnderTest()
  const sealed = [await seal('sentinel – ü'), await seal('sentinel – ü')]
  expect(sealed[0]).not.toBe(sealed[1])
  for (const text of sealed) {
    expect(text).not.toContain('sentinel')
    expect(box.open(text, 'project/hello/hook')).toBe('sentinel – ü')
  }
})

test('the key is made with the first secret, for its owner alone, and stays', async () => {
  const { file, seal, store } = await boxUnderTest()
  expect(() => statSync(file)).toThrow()
  await Promise.all([seal('a'), seal('b')])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const key = readFileSync(file, 'utf8')
  expect(Buffer.from(key, 'base64')).toHaveLength(32)
  await seal('c')
  expect(readFileSync(file, 'utf8')).toBe(key)
  await store.inspect()
})

test('what is sealed for one purpose is no use for another', async () => {
  const { box, seal } = await boxUnderTest()
  const sealed = await seal('secret')
  expect(() => box.open(sealed, 'project/other/hook')).toThrow(unusable(/project\/other\/hook was changed/))
})

test('what was changed is refused, whatever was changed', async () => {
  const { box, seal } = await boxUnderTest()
  const sealed = await seal('secret')
  for (let at = 'v1.123456789012.'.length; at < sealed.length - 1; at += 5) {
    const spoilt = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    expect(() => box.open(spoilt, 'project/hello/hook')).toThrow(unusable(/changed in the database/))
  }
  for (const spoilt of ['', 'v1', sealed.slice(0, 20)])
    expect(() => box.open(spoilt, 'project/hello/hook')).toThrow(unusable(/./))
})

test('a lost key is said so, and no other is made while there are secrets of it', async () => {
  const { box, file, seal, keep, forget } = await boxUnderTest()
  const sealed = await seal('secret')
  await keep('hello', sealed)
  renameSync(file, `${file}.away`)
  expect(() => box.open(sealed, 'project/hello/hook')).toThrow(unusable(/its file .*secret\.key is gone/))
  await expect(seal('new')).rejects.toThrow(unusable(/is gone/))
  expect(() => statSync(file)).toThrow()
  renameSync(`${file}.away`, file)
  expect(box.open(sealed, 'project/hello/hook')).toBe('secret')
  rmSync(file)
  await forget()
  expect(box.open(await seal('new'), 'project/hello/hook')).toBe('new')
})

test('another key is told from the right one, and nothing is sealed with it beside the old secrets', async () => {
  const { box, file, seal, keep, home } = await boxUnderTest()
  const sealed = await seal('secret')
  await keep('hello', sealed)
  writeFileSync(file, `${Buffer.alloc(32, 7).toString('base64')}\n`)
  expect(() => box.open(sealed, 'project/hello/hook')).toThrow(unusable(/is not the one that the secrets/))
  await expect(seal('new')).rejects.toThrow(unusable(/is not the one/))
  writeFileSync(file, 'half')
  expect(() => box.open(sealed, 'project/hello/hook')).toThrow(unusable(/is not a key/))
  rmSync(file)
  mkdirSync(file)
  await expect(seal('new')).rejects.toThrow(unusable(new RegExp(`^${home}/secret.key cannot be read`)))
})
