/** A real browser for the tests of one file, and what axe says of the page it shows. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'

const program = '/usr/bin/chromium'
const axe = createRequire(import.meta.url).resolve('axe-core')

/** A busy machine takes long to build the handbook, which the first page waits for. */
const limitMs = 90_000

/** Gives what a test opens a browser of its own with. */
export function withChromium(): (options?: BrowserContextOptions) => Promise<BrowserContext> {
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
  return async options => {
    const context = await browser!.newContext(options)
    context.setDefaultTimeout(limitMs)
    onTestFinished(() => context.close())
    return context
  }
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
