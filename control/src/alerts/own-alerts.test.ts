import { expect, test } from 'vitest'
import { nobody } from '#http'
import { refuseOthers, refuseWide } from './own-alerts.ts'

const limited = { ...nobody, role: 'deployer' as const, projects: ['hello'] }
const operator = { ...nobody, role: 'operator' as const, projects: null }
const about = (job: string) => ({ find: async () => ({ labels: { job } }) as never })

test('who is limited to projects acknowledges their alerts alone, and is told nothing of others', async () => {
  const refuse = (who: typeof limited | typeof operator, job: string) =>
    refuseOthers(about(job), null as never, who, 'x')
  await expect(refuse(limited, 'hello')).resolves.toBeUndefined()
  await expect(refuse(operator, 'other')).resolves.toBeUndefined()
  await expect(refuse(limited, 'other')).rejects.toMatchObject({ code: 'not_found' })
})

test('and silences their alerts alone', () => {
  expect(() => refuseWide(limited, ['job=hello', 'severity=info'])).not.toThrow()
  expect(() => refuseWide(operator, ['severity=info'])).not.toThrow()
  for (const matchers of [['severity=info'], ['job=other'], ['job=~"hello"'], ['job!=hello']])
    expect(() => refuseWide(limited, matchers)).toThrow(expect.objectContaining({ code: 'forbidden' }))
})
