/** An environment as YAML: projects by name, the shortest that means the same. The same state gives the same text. */
import type { Project } from '@quarterdeck/contract'
import { Document, isScalar, visit } from 'yaml'
import { entryOf } from './entry.ts'

const head = `The projects of a Quarterdeck environment, written by \`qd export\`.
\`qd apply FILE --dry-run\` shows what would be changed, \`qd apply FILE\` changes it.
What has its default is left out. Tokens, secrets and keys are not in it, nor
whether a project is held.`

export function environmentText(projects: readonly Project[]): string {
  const byName = [...projects].sort((a, b) => (a.name < b.name ? -1 : 1))
  const entries = Object.fromEntries(byName.map(project => [project.name, entryOf(project)]))
  const document = new Document({ schema: 1, projects: entries }, { aliasDuplicateObjects: false })
  document.commentBefore = head.replace(/^/gm, ' ')
  visit(document, {
    // A command is read as one line.
    Seq(_, list) {
      list.flow = list.items.every(isScalar)
    },
    Pair(_, { key, value }) {
      if (isScalar(key) && typeof key.value === 'string' && key.value === 'projects') spaced(value)
    },
  })
  return document.toString({ lineWidth: 110, flowCollectionPadding: false })
}

/** A blank line between projects. */
function spaced(projects: unknown): void {
  const { items = [] } = projects as { items?: { key: { spaceBefore?: boolean } }[] }
  for (const { key } of items.slice(1)) key.spaceBefore = true
}
