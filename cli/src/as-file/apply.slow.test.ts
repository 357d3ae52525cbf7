import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyOutcomeDocument } from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { qdOnTerminal, standIn } from '../under-test.ts'

test('on a terminal the difference is in colours, and made only after a yes', async () => {
  const { home, asked } = await standIn({ 'POST /api/apply': () => applyOutcomeDocument.example })
  const file = join(home, 'environment.yaml')
  writeFileSync(file, 'schema: 1\nprojects: {}\n')
  const no = await qdOnTerminal(['apply', file, '--home', home], [['Make these changes', 'n\r']])
  expect(no).toMatchObject({ code: 0, screen: expect.stringContaining('Nothing was changed.') })
  expect(no.screen).toContain('\u001b[32m+ hello')
  expect(no.screen).toContain('branch: \u001b[31mmain\u001b[39m → \u001b[32mstable')
  expect(asked).toHaveLength(1)
  const yes = await qdOnTerminal(['apply', file, '--home', home], [['Make these changes', 'y\r']])
  expect(yes).toMatchObject({ code: 0, screen: expect.stringContaining('2 added, 2 changed.') })
  expect(asked.at(-1)?.route).toContain('digest=')
})
