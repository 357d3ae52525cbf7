/** Which published document a request asks for. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers a GET or HEAD by itself, such as a document with ready-made bytes. */
export interface Servable {
  serve(request: IncomingMessage, response: ServerResponse): void
}

export interface PublishedAt {
  /** With `{name}` for what varies. */
  readonly path: string
  readonly summary: string
  /** Undefined: there is none of that name. */
  get(params: Readonly<Record<string, string>>, query: URLSearchParams): Servable | undefined
}

const noParams = {}
const noQuery = new URLSearchParams()

/** From a request's path with its query to the document and the path that it is counted under. */
export function finderOf(
  documents: readonly PublishedAt[],
): (url: string) => { published: Servable; path: string } | undefined {
  const fixed = new Map(documents.filter(({ path }) => !path.includes('{')).map(each => [each.path, each]))
  const patterns = documents.flatMap(each =>
    each.path.includes('{') ? [{ each, pattern: new RegExp(`^${patternOf(each.path)}$`) }] : [],
  )
  return url => {
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    const query = mark < 0 ? noQuery : new URLSearchParams(url.slice(mark + 1))
    const known = fixed.get(path)
    if (known) return found(known, noParams, query)
    for (const { each, pattern } of patterns) {
      const params = pattern.exec(path)?.groups
      if (params) return found(each, params, query)
    }
    return undefined
  }
}

function found(document: PublishedAt, params: Readonly<Record<string, string>>, query: URLSearchParams) {
  const published = document.get(params, query)
  return published && { published, path: document.path }
}

const patternOf = (path: string): string =>
  path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[\\w-]+)')
