/** An environment as YAML: projects and watched services by name, the shortest that means the same. The same state gives the same text. */
import { Document, isMap, isScalar, visit } from 'yaml'
import type { Entry } from './entry.ts'

const head = `The projects and watched services of a Quarterdeck environment, written by \`qd export\`.
\`qd apply FILE --dry-run\` shows what would be changed, \`qd apply FILE\` changes it.
What has its default is left out. Of secrets only the names are in it; tokens,
keys and whether a project is held are not.`

type Entries = Readonly<Record<string, Entry>>

/** Entries by name. No services are no news: a file that says nothing of them leaves them as they are. */
export function environmentText(projects: Entries, services: Entries = {}): string {
  const watched = Object.keys(services).length > 0 ? { services: byName(services) } : {}
  const document = new Document(
    { schema: 1, projects: byName(projects), ...watched },
    { aliasDuplicateObjects: false },
  )
  spaced(document.get('projects'))
  spaced(document.get('services'))
  document.commentBefore = head.replace(/^/gm, ' ')
  visit(document, {
    // A command is read as one line.
    Seq(_, list) {
      list.flow = list.items.every(isScalar)
    },
    // As a timer or a secret is; to variables and services others come.
    Pair(_, { key, value }) {
      if (!isMap(value) || !isScalar(key) || key.value === 'variables' || value.has('url')) return
      value.flow = value.items.length === 1 && value.items.every(item => isScalar(item.value))
    },
  })
  return document.toString({ lineWidth: 110, flowCollectionPadding: false })
}

const byName = (entries: Entries): Entries =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)))

/** A blank line between entries. */
function spaced(entries: unknown): void {
  const items = isMap(entries) ? entries.items : []
  for (const { key } of items.slice(1)) if (isScalar(key)) key.spaceBefore = true
}
