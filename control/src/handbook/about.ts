/** What a handbook says of itself. */

export interface About {
  readonly title: string
  readonly description: string | null
  /** BCP 47. */
  readonly language: string
  /** Where it is served, without a slash at the end. */
  readonly url: string
  /** The environment’s front page. */
  readonly homeUrl: string
  /** The build that serves it. */
  readonly sha: string
}
