import { expect, test } from 'vitest'
import { checkDocuments } from './check-documents.ts'
import { tempFolder, writeFiles } from './temp-project.ts'

const tree = {
  '.gitignore': 'node_modules/\ndist/\n.quarterdeck/\n',
  'control/src/main.ts': '',
  'control/src/store/engines/sqlite/index.ts': '',
  'control/src/store/engines/postgres/index.ts': '',
  'handbook/index.md': '# Welcome\n',
}

test('links, anchors and paths that exist are no problem', () => {
  const folder = tempFolder({
    ...tree,
    'README.md': `# Title
See [the code](control/src/main.ts), [the store](control/src/store/), [above](#title), [twice](#twice-1),
[the handbook](handbook/index.md#welcome "Welcome") and [the \`code\` heading][ref].
\`control/src/main.ts\`, \`control/src/main.ts:12\`, \`control/src/store/engines/{sqlite,postgres}/\`
## Twice
## Twice
## The \`code\`: why & how?
<a id="by-hand"></a> [by hand](#by-hand)

[ref]: #the-code-why--how
`,
    'handbook/deep/more.md':
      'Back to [the start](../index.md#welcome), [code](../../control/src/main.ts) `control/src/`',
  })
  expect(checkDocuments(folder)).toEqual({ problems: [], remark: 'Files: 3' })
})

test('a link, an anchor and a path that are not there are named with their document', () => {
  const folder = tempFolder({
    ...tree,
    'README.md': `[a](missing.md) ![b](pictures/b.png) [c](#nowhere) [d](handbook/index.md#gone) [e][e]
\`control/src/gone.ts\` \`control/src/main.ts/\` \`control/src/store/engines/{sqlite,mysql}/\` \`./gone.ts\`

[e]: gone/e.md`,
    'handbook/deep/more.md': '[up](../gone.md)',
  })
  expect(checkDocuments(folder).problems).toEqual([
    'README.md: the link missing.md leads nowhere',
    'README.md: the link pictures/b.png leads nowhere',
    'README.md: the link #nowhere names a heading that is not there',
    'README.md: the link handbook/index.md#gone names a heading that is not there',
    'README.md: the link gone/e.md leads nowhere',
    'README.md: control/src/gone.ts does not exist',
    'README.md: control/src/main.ts/ does not exist',
    'README.md: control/src/store/engines/mysql/ does not exist',
    'handbook/deep/more.md: the link ../gone.md leads nowhere',
  ])
})

test('addresses, homes, globs, commands, code blocks and the paths of others are not checked', () => {
  const folder = tempFolder({
    ...tree,
    'README.md': `[a](https://example.com/x) [b](mailto:a@example.com) [c](/panel) <!-- [d](gone.md) -->
\`~/x/y\` \`/control/gone\` \`<home>/x\` \`.quarterdeck/x.yaml\` \`control/**/*.ts\` \`node control/src/gone.ts\`
\`application/json\` \`owner/repo\` \`control/dist/main.js\` \`https://example.com/control/gone\` \`control/<name>.ts\`
\`[e](gone.md)\`
\`\`\`sh
[f](gone.md) \`control/gone.ts\`
# Not a heading
\`\`\`
[g](#not-a-heading)`,
  })
  expect(checkDocuments(folder).problems).toEqual([
    'README.md: the link #not-a-heading names a heading that is not there',
  ])
})

test('the tree in ARCHITECTURE.md is checked, its explanations are not', () => {
  const architecture = `# Architecture
\`\`\`
control/src/  the control plane; engines/none/
  main.ts       start(config)
  store/        the database door;
                engines are beside it
    engines/{sqlite,postgres}/  two of them
  gone.ts
handbook/     what docs shows
agent/        on a machine
\`\`\`
\`\`\`ts
gone/  // not a tree
\`\`\`
`
  const folder = tempFolder({ ...tree, 'ARCHITECTURE.md': architecture })
  expect(checkDocuments(folder).problems).toEqual([
    'ARCHITECTURE.md: control/src/gone.ts does not exist',
    'ARCHITECTURE.md: agent/ does not exist',
  ])
  writeFiles(folder, { 'control/src/gone.ts': '', 'agent/package.json': '{}' })
  expect(checkDocuments(folder).problems).toEqual([])
})

test('a tree drawn with branches is read like an indented one', () => {
  const architecture =
    '```text\n.\n├── control/\n│   └── src/\n│       ├── main.ts  # start\n│       └── gone.ts\n└── gone/\n```\n'
  const folder = tempFolder({ ...tree, 'ARCHITECTURE.md': architecture })
  expect(checkDocuments(folder).problems).toEqual([
    'ARCHITECTURE.md: control/src/gone.ts does not exist',
    'ARCHITECTURE.md: gone/ does not exist',
  ])
})
