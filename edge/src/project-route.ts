/** Where the edge finds a project. */

export interface ProjectRoute {
  /** The sub-domain. */
  readonly name: string
  /** Where its web process is to be reached; null: never deployed, or it has no web process. */
  readonly target: Target | null
  /** Only for show. */
  readonly state?: 'running' | 'stopped' | 'failed' | 'not deployed'
}

export interface Target {
  readonly address: string
  readonly port: number
}
