/** The door of the metrics server: who scrapes the targets and evaluates the rules of the files in the home. */

import type { z } from 'zod'

/** What Prometheus' HTTP API is asked for, at `/api/v1/…`. */
export type Question = 'targets' | 'rules' | 'alerts' | 'query'

/** In Prometheus' own envelope, as JSON. */
export interface ApiAnswer {
  readonly status: number
  readonly body: string
}

/** A scrape job as a user writes it. */
export interface ScrapeJobInput {
  readonly job_name: string
}

export interface MetricsEngine {
  readonly name: 'embedded' | 'prometheus'
  /** What it can do of a scrape job. */
  readonly job: z.ZodType<ScrapeJobInput>
  /** With the files as they are. What is wrong with them, or who does not answer, is said in the log and is no reason not to start. */
  start(): Promise<void>
  /** Reads the files again; throws `ReloadRefused`, and goes on with what it had. */
  reload(): Promise<void>
  /** The services have changed: takes what is made of them, and leaves what users wrote as it last was, where it can tell them apart. */
  follow(): Promise<void>
  isReady(): Promise<boolean>
  ask(question: Question, parameters: URLSearchParams): Promise<ApiAnswer>
  stop(): Promise<void>
}

/** Why the files were not taken: for people, each problem with its file and line where that is known. */
export class ReloadRefused extends Error {
  override name = 'ReloadRefused'
}

export const succeeded = (data: unknown, more: object = {}): ApiAnswer => ({
  status: 200,
  body: JSON.stringify({ status: 'success', data, ...more }),
})

export const failed = (status: number, errorType: string, error: string): ApiAnswer => ({
  status,
  body: JSON.stringify({ status: 'error', errorType, error }),
})
