/** An environment as YAML: projects by name, the shortest that means the same. The same state gives the same text. */
import { Document, isMap, isScalar, visit } from 'yaml'
import type { Entry } from './entry.ts'

const head = `The projects of a Quarterdeck environment, written by \`qd export\`.
\`qd apply FILE --dry-run\` shows what would be changed, \`qd apply FILE\` changes it.
What has its default is left out. Of secrets only the names are in it; tokens,
keys and whether a project is held are not.`

/** Entries by name. */
export function environmentText(projects: Readonly<Record<string, Entry>>): string {
  const byName = Object.entries(projects).sort(([a], [b]) => (a < b ? -1 : 1))
  const entries = Object.fromEntries(byName)
  const document = new Document({ schema: 1, projects: entries }, { aliasDuplicateObjects: false })
  spaced(document.get('projects'))
  document.commentBefore = head.replace(/^/gm, ' ')
  visit(document, {
    // A command is read as one line.
    Seq(_, list) {
      list.flow = list.items.every(isScalar)
    },
    // As a timer or a secret is; to variables others come.
    Pair(_, { key, value }) {
      if (!isMap(value) || !isScalar(key) || key.value === 'variables') return
      value.flow = value.items.length === 1 && value.items.every(item => isScalar(item.value))
    },
  })
  return document.toString({ lineWidth: 110, flowCollectionPadding: false })
}

/** A blank line between projects. */
function spaced(projects: unknown): void {
  const items = isMap(projects) ? projects.items : []
  for (const { key } of items.slice(1)) if (isScalar(key)) key.spaceBefore = true
}
