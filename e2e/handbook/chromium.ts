/** A real browser for the tests of one file, and what axe says of the page it shows. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'

const program = '/usr/bin/chromium'
const axe = createRequire(import.meta.url).resolve('axe-core')

/** Gives the browser, in tests. */
export function withChromium(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (!existsSync(program)) return
    browser = await chromium.launch({
      executablePath: program,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
    })
  })
  afterAll(() => browser?.close())
  beforeEach(context => {
    if (!browser) context.skip('Chromium is not installed (Debian: chromium)')
  })
  return () => browser!
}

/** Axe is put in by the test itself, which the pages’ own policy rightly forbids: its context has to bypass it. */
export async function violations(page: Page, within = 'html'): Promise<string[]> {
  await page.addScriptTag({ path: axe })
  const { violations } = (await page.evaluate(`axe.run('${within}')`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(', ')}`)
}

/** Everything that the page complains of, as it does. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  return complaints
}
