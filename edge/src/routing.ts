/** Which host goes where: to one of control's own or to a project. Control's win. */
import type { ProjectRoute } from './project-route.ts'
import type { Upstream } from './upstream.ts'

export class Routing {
  readonly #domain: string
  #upstreams: ReadonlyMap<string, Upstream> | undefined
  #projects: ReadonlyMap<string, ProjectRoute> = new Map()

  constructor(domain: string) {
    this.#domain = domain
  }

  serve(upstreams: readonly Upstream[]): void {
    this.#upstreams = this.#byHost(upstreams)
  }

  route(projects: readonly ProjectRoute[]): void {
    this.#projects = this.#byHost(projects)
  }

  /** False until control has said what it serves. */
  get started(): boolean {
    return this.#upstreams !== undefined
  }

  get upstreams(): readonly Upstream[] {
    return [...(this.#upstreams?.values() ?? [])]
  }

  /** Those that can be reached under their name. */
  get projects(): readonly ProjectRoute[] {
    return [...this.#projects].filter(([host]) => !this.#upstreams?.has(host)).map(([, project]) => project)
  }

  upstream(host: string | undefined): Upstream | undefined {
    return host === undefined ? undefined : this.#upstreams?.get(host)
  }

  /** One of control's own, by its name. */
  named(name: string): Upstream | undefined {
    return this.upstream(`${name}.${this.#domain}`)
  }

  /** Who answers a path, with or without a query, where no host is named. */
  atBareHost(url: string): Upstream | undefined {
    const path = url.split('?', 1)[0]!
    return this.upstreams.find(({ atBareHost }) => atBareHost?.test(path))
  }

  /** Also one of control's that this client may not see hides a project. */
  project(host: string | undefined): ProjectRoute | undefined {
    return host === undefined || this.#upstreams?.has(host) ? undefined : this.#projects.get(host)
  }

  #byHost<T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> {
    return new Map(list.map(one => [`${one.name}.${this.#domain}`, one]))
  }
}
