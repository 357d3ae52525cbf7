/** Somebody tells people what is wrong and what is planned, from a terminal. */
import type { Status } from '@quarterdeck/contract'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { qd, up } from './environment.ts'

test('from a template to a draft to the page to resolved; a maintenance from its plan to its end', async () => {
  const environment = await up(temporaryDirectory())
  const status = async (): Promise<Status> =>
    JSON.parse((await environment.ask('status.localhost', '/status.json')).text)
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await qd(...args, '--home', environment.home)
    expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, ''])
    return stdout
  }
  await until('services are watched', async () => (await status()).services.length > 0)

  const texts = ['--title', 'Answers are slow', '--message', 'We look into it.', '--service', 'docs']
  await run('incident', 'template', 'set', 'slow', ...texts)
  expect(await run('incident', 'template', 'list')).toContain('Answers are slow')
  expect(await run('incident', 'open', '--template', 'slow', '--draft')).toContain('nobody sees yet')
  expect(await run('incident', 'list')).toContain('draft')
  expect((await status()).incidents).toEqual([])
  await run('incident', 'publish')
  await until('it is shown', async () => (await status()).incidents[0]?.name === 'Answers are slow')
  expect(await run('incident', 'update', '--status', 'monitoring', '--message', 'Better.')).toContain(
    'monitoring',
  )
  await run('incident', 'resolve')
  await until('it is over', async () => (await status()).incidents.length === 0)
  expect((await qd('incident', 'resolve', '--home', environment.home)).stderr).toContain(
    'No incident is open.',
  )

  const planned = await run('maintenance', 'plan', 'Disks', '--for', '1h', '--service', 'docs', '--json')
  const { id } = JSON.parse(planned) as { id: string }
  const docs = async () => (await status()).services.find(service => service.id === 'docs')!.status
  await until('it is under way', async () => (await docs()) === 'maintenance')
  expect(await run('maintenance', 'list')).toContain('in progress')
  expect(await run('maintenance', 'end', id)).toContain('completed')
  await until('it is over', async () => (await docs()) !== 'maintenance')
  const weekly = ['--starts', '2d', '--for', '30m', '--repeat', 'weekly', '--json']
  const later = JSON.parse(await run('maintenance', 'plan', 'Backups', ...weekly)) as { id: string }
  await until('it is announced', async () => (await status()).maintenances[0]?.name === 'Backups')
  await run('maintenance', 'cancel', later.id)
  await until('it is not any more', async () => (await status()).maintenances.length === 0)
})
