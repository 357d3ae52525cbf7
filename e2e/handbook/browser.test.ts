/** People read the handbook, in a real browser: on a phone and a desk, in light and dark, with the keyboard. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { temporaryDirectory } from '@quarterdeck/testing'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { up } from '../environment.ts'

const program = '/usr/bin/chromium'
const axe = createRequire(import.meta.url).resolve('axe-core')
const firstPageLimit = 80 * 1024
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

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe })
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(', ')}`)
}

const pages = [
  '/',
  '/deploying',
  '/troubleshooting',
  '/security',
  '/errors',
  '/errors/upstream_refused',
  '/reference/api',
  '/projects',
  '/search?q=deploy',
]

test.each([
  ['light', { width: 1360, height: 900 }],
  ['dark', { width: 390, height: 844 }],
  ['light', { width: 390, height: 844 }],
] as const)(
  'every page is accessible, fits and complains of nothing (%s, %o)',
  async (colorScheme, viewport) => {
    const { port } = await up(temporaryDirectory())
    // Axe is put in by the test itself, which the pages’ own policy rightly forbids.
    const context = await browser!.newContext({ viewport, colorScheme, bypassCSP: true })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    page.on('request', request => {
      if (!request.url().startsWith(`http://docs.localhost:${port}/`) && !request.url().startsWith('data:'))
        complaints.push(request.url())
    })
    for (const path of pages) {
      const response = await page.goto(`http://docs.localhost:${port}${path}`)
      expect([path, response?.status(), complaints]).toEqual([path, 200, []])
      expect([path, await violations(page)]).toEqual([path, []])
      expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([
        path,
        true,
      ])
    }
    await context.close()
  },
)

test('search by keyboard: begin, choose, go there; and the first page is small', async () => {
  const { port } = await up(temporaryDirectory())
  const context = await browser!.newContext({ viewport: { width: 1360, height: 900 } })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(`http://docs.localhost:${port}/`, { waitUntil: 'networkidle' })
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes).toBeLessThan(firstPageLimit)

  await page.keyboard.press('/')
  await page.keyboard.type('going back')
  const first = page.locator('.found [role=option]').first()
  await first.waitFor()
  expect(await first.getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  const url = await first.getAttribute('data-url')
  await page.keyboard.press('Enter')
  await page.waitForURL(`http://docs.localhost:${port}${url}`)
  await page.keyboard.press('/')
  await page.keyboard.type('zzzz')
  await page.keyboard.press('Escape')
  expect(await page.locator('.found').isHidden()).toBe(true)
  await context.close()
})
