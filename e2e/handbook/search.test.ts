/** People search the handbook, in a real browser: with the keyboard, without JavaScript, and in files that no host of ours serves. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { qd, up } from '../environment.ts'
import { complaintsOf, violations, withChromium } from './chromium.ts'

const openBrowser = withChromium()
const firstPageLimit = 80 * 1024
const desk = { width: 1360, height: 900 }
const phone = { width: 390, height: 844 }

const options = (page: Page) => page.locator('.found [role=option]')
const box = (page: Page) => page.getByRole('combobox')

test('search by keyboard, found in the page: loaded on first use, and nobody is asked while one types', async () => {
  const { port } = await up(temporaryDirectory())
  const context = await openBrowser({ viewport: desk })
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.goto(`http://docs.localhost:${port}/`, { waitUntil: 'networkidle' })
  expect(bytes).toBeGreaterThan(1000)
  expect(bytes).toBeLessThan(firstPageLimit)
  expect(asked.filter(path => !path.startsWith('/assets/'))).toEqual(['/'])

  await page.keyboard.press('/')
  await page.keyboard.type('going bak')
  await options(page).first().waitFor()
  await page.keyboard.press('Backspace')
  await page.keyboard.type('ck')
  await options(page).first().locator('mark').first().waitFor()
  expect(asked.filter(path => path === '/index.json')).toHaveLength(1)
  expect(asked).not.toContain('/search.json')

  const selected = page.locator('.found [aria-selected=true]')
  const marked = () => box(page).getAttribute('aria-activedescendant')
  expect(await box(page).getAttribute('aria-expanded')).toBe('true')
  expect([await selected.count(), await marked()]).toEqual([1, 'found-0'])
  await page.keyboard.press('ArrowDown')
  expect(await marked()).toBe('found-1')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  expect(await marked()).toBe(`found-${(await options(page).count()) - 1}`)
  await page.keyboard.press('ArrowDown')
  const url = await options(page).first().getAttribute('data-url')
  await page.keyboard.press('Enter')
  await page.waitForURL(`http://docs.localhost:${port}${url}`)

  await page.keyboard.press('/')
  await page.keyboard.type('zzzz')
  await page.getByText('Nothing was found for “zzzz”.').waitFor()
  expect(await box(page).getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('Escape')
  expect(await page.locator('.found').isHidden()).toBe(true)
  await page.keyboard.press('Control+A')
  await page.keyboard.type('rollback')
  await options(page).first().waitFor()
  await page.keyboard.press('Escape')
  expect(await page.locator('.found').isHidden()).toBe(true)
  await page.keyboard.press('ArrowDown')
  await options(page).nth(1).click()
  expect(await page.locator('.found').isHidden()).toBe(true)
  expect(complaints).toEqual([])
})

test('what was found is accessible and fits, on a phone and a desk, in light and dark', async () => {
  const { port } = await up(temporaryDirectory())
  for (const viewport of [desk, phone])
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await openBrowser({ viewport, colorScheme, bypassCSP: true })
      const page = await context.newPage()
      await page.goto(`http://docs.localhost:${port}/deploying`)
      for (const [query, shown] of [
        ['restart', options(page).first()],
        ['qwertzuiop', page.getByText('Nothing was found')],
      ] as const) {
        await box(page).fill(query)
        await shown.waitFor()
        const look = `${query} ${colorScheme} ${viewport.width}`
        expect([look, await violations(page, '.bar')]).toEqual([look, []])
        const { x, y, width, height } = (await page.locator('.found').boundingBox())!
        expect([look, x >= 0, x + width <= viewport.width, y + height <= viewport.height]).toEqual([
          look,
          true,
          true,
          true,
        ])
      }
    }
})

test('the host is asked where the index cannot be had, and makes the page of results without JavaScript', async () => {
  const { port } = await up(temporaryDirectory())
  const address = `http://docs.localhost:${port}`
  const context = await openBrowser({ viewport: desk })
  const page = await context.newPage()
  await page.route('**/index.json', route => route.abort())
  await page.goto(address)
  await box(page).fill('rolback')
  await page.waitForResponse(response => response.url().startsWith(`${address}/search.json?`))
  await options(page).first().waitFor()
  await page.route('**/search.json?*', route => route.abort())
  await box(page).fill('rollback')
  await page.getByText('Search does not answer.').waitFor()

  const plain = await openBrowser({ javaScriptEnabled: false })
  const page2 = await plain.newPage()
  await page2.goto(address)
  await page2.getByRole('searchbox').fill('rolback')
  await page2.keyboard.press('Enter')
  await page2.waitForURL(`${address}/search?q=rolback`)
  expect(await page2.locator('.results mark').count()).toBeGreaterThan(0)
})

test('a handbook written as files is searched in the page, behind any web server', async () => {
  const home = temporaryDirectory()
  const folder = join(home, 'site')
  expect((await qd('handbook', 'build', folder, '--home', home)).code).toBe(0)
  const address = await served(folder)
  const context = await openBrowser({ viewport: desk })
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  await page.goto(address)
  await page.keyboard.press('/')
  await page.keyboard.type('rolback')
  await options(page).first().locator('mark').first().waitFor()
  const url = await options(page).first().getAttribute('data-url')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${address}${url!.replace(/(?=#|$)/, '/')}`)
  await page.goto(`${address}/search/?q=rolback`)
  await page.locator('.results mark').first().waitFor()
  expect(await page.locator('.results a').first().getAttribute('href')).toBe(url)
  expect(await page.locator('.lead').textContent()).toMatch(/^\d+ found for “rolback”\.$/)
  expect(complaints).toEqual([])
})

/** Nothing but files, as any web server gives them. */
async function served(folder: string): Promise<string> {
  const types: Record<string, string> = { js: 'text/javascript', css: 'text/css', json: 'application/json' }
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url ?? '/', 'http://x')
    const file = join(folder, pathname)
    if (!existsSync(file)) return response.writeHead(404).end()
    if (statSync(file).isFile()) {
      const type = types[pathname.split('.').at(-1)!] ?? 'text/html; charset=utf-8'
      return response.writeHead(200, { 'content-type': type }).end(readFileSync(file))
    }
    if (!pathname.endsWith('/')) return response.writeHead(301, { location: `${pathname}/` }).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    return response.end(readFileSync(join(file, 'index.html')))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
