/** index.json of the docs host: every page of the handbook, with its text. The same input gives the same bytes. */
import { z } from 'zod'
import { document } from './document.ts'
import { slug, time, url } from './wire.ts'

/** Path of a page without its ending, unique and lasting: `runbooks/hello`. */
export const pageId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/, 'a page id such as runbooks/hello')

export const handbookSection = z.object({
  id: z.string().describe('the anchor; empty for the text before the first heading'),
  level: z.int().min(1).max(6),
  title: z.string(),
  text: z.string().describe('without markup'),
})
export type HandbookSection = z.infer<typeof handbookSection>

export const handbookPage = z.object({
  id: pageId,
  url,
  markdown_url: url.describe('the page as Markdown'),
  source: z.string().min(1).describe('path of the file it is made from'),
  title: z.string().min(1),
  description: z.string().nullable(),
  kind: slug.describe('what sort of page: guide, reference, runbook, …'),
  tags: z.array(z.string().min(1)),
  parent: pageId.nullable().describe('the page above; null at the top'),
  order: z.int().describe('its place among the pages of one parent'),
  services: z.array(slug).describe('the services it is about'),
  owner: z.string().min(1).nullable(),
  updated_at: time,
  review_by: z.iso.date().nullable().describe('after this day it counts as out of date'),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the source'),
  words: z.int().min(0),
  aliases: z.array(z.string().min(1)).describe('earlier paths that lead here'),
  sections: z.array(handbookSection),
})
export type HandbookPage = z.infer<typeof handbookPage>

export const handbookIndex = z.object({
  schema: z.literal(1),
  site: z.object({
    title: z.string().min(1),
    description: z.string().nullable(),
    url,
    language: z.string().min(2).describe('BCP 47'),
  }),
  revision: z.string().min(1).describe('of the sources: a commit, or a hash where there is none'),
  revised_at: time.nullable().describe('when the newest source was written; null without pages'),
  links: z.object({ search: url, llms: url, llms_full: url, feed: url }),
  pages: z.array(handbookPage),
})
export type HandbookIndex = z.infer<typeof handbookIndex>

export const handbookIndexDocument = document('handbook-index', handbookIndex, {
  schema: 1,
  site: {
    title: 'Acme handbook',
    description: 'How our services are run',
    url: 'https://docs.example.com',
    language: 'en',
  },
  revision: '7c0e5a9d3b1f48627e8d90a1b2c3d4e5f6071829',
  revised_at: '2026-02-27T16:40:12Z',
  links: {
    search: 'https://docs.example.com/search.json',
    llms: 'https://docs.example.com/llms.txt',
    llms_full: 'https://docs.example.com/llms-full.txt',
    feed: 'https://docs.example.com/feed.atom',
  },
  pages: [
    {
      id: 'runbooks/hello',
      url: 'https://docs.example.com/runbooks/hello',
      markdown_url: 'https://docs.example.com/runbooks/hello.md',
      source: 'runbooks/hello.md',
      title: 'When hello is down',
      description: 'What to look at first, and how to go back.',
      kind: 'runbook',
      tags: ['on-call'],
      parent: 'runbooks',
      order: 1,
      services: ['hello'],
      owner: 'platform',
      updated_at: '2026-02-27T16:40:12Z',
      review_by: '2026-08-31',
      hash: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
      words: 12,
      aliases: ['/hello-down'],
      sections: [
        { id: 'go-back', level: 2, title: 'Go back', text: 'Roll back to the run before the last one.' },
      ],
    },
  ],
})
