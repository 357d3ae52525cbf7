/** The handbook’s reference pages that are made from the code, by path below handbook/reference/. */
import { apiPage } from './api-page.ts'
import { commandLinePage } from './command-line-page.ts'
import { configurationPage } from './configuration-page.ts'
import { metricsPage } from './metrics-page.ts'

export const referencePages = async (): Promise<Map<string, string>> =>
  new Map([
    ['api.md', apiPage()],
    ['command-line.md', commandLinePage()],
    ['configuration.md', configurationPage()],
    ['metrics.md', await metricsPage()],
  ])
