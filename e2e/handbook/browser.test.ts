/** People read the handbook, in a real browser: on a phone and a desk, in light and dark. */
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { up } from '../environment.ts'
import { complaintsOf, violations, withChromium } from './chromium.ts'

const openBrowser = withChromium()

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
    const context = await openBrowser({ viewport, colorScheme, bypassCSP: true })
    const page = await context.newPage()
    const complaints = complaintsOf(page)
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
  },
)
