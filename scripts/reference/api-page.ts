/** The admin API, operation by operation, from the OpenAPI document and the table of who may use it. */
import { openapi } from '../../contract/src/index.ts'
import { admitted } from '../../control/src/access.ts'
import { code, page, sentence, table } from './made-markdown.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}

interface Operation {
  summary: string
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Schema }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>
}

const document = openapi() as unknown as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export function apiPage(): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const groups = Map.groupBy(operations, ({ path }) => path.split('/')[2]!)
  return page(
    {
      title: 'Every operation of the API',
      description: 'The admin API operation by operation: who may, what it takes and gives.',
      order: 10,
    },
    `[The admin API](../api.md) tells what holds for all of them: tokens, errors, lists, repeating a request. The same as OpenAPI 3.1 is at \`/api/openapi.json\` of the admin host.

${[...groups].map(([name, members]) => `## ${sentence(name.replace(/\.json$/, '').replaceAll('-', ' '))}\n\n${members.map(described).join('\n\n')}`).join('\n\n')}`,
  )
}

function described({
  method,
  path,
  operation,
}: {
  method: string
  path: string
  operation: Operation
}): string {
  const { summary, parameters = [], requestBody, responses } = operation
  const inQuery = parameters.filter(one => one.in === 'query')
  const body = requestBody?.content['application/json']?.schema
  return [
    `### ${method} ${path}`,
    `${sentence(summary)}. For: ${(admitted('admin', method, path) ?? []).join(', ')}.`,
    ...(inQuery.length > 0
      ? [
          table(
            ['query', 'type', 'what it says'],
            inQuery.map(one => [code(one.name), typeOf(one.schema), one.description ?? '']),
          ),
        ]
      : []),
    ...(body ? [fields(body)] : []),
    `Answers: ${answers(responses)}.`,
  ].join('\n\n')
}

function fields(schema: Schema): string {
  const name = nameOf(schema)
  const { properties, required = [] } = resolved(schema)
  if (!properties) return `Takes ${name ? code(name) : 'a JSON document'}.`
  return table(
    [`field${name ? ` of ${code(name)}` : ''}`, 'type', 'what it says'],
    Object.entries(properties).map(([key, value]) => [
      `${code(key)}${required.includes(key) ? '' : ' (optional)'}`,
      typeOf(value),
      value.description ?? '',
    ]),
  )
}

const answers = (responses: Operation['responses']) =>
  Object.entries(responses)
    .filter(([status]) => /^[2]|424/.test(status))
    .map(([status, { content = {} }]) => {
      const [type, { schema } = { schema: {} as Schema }] = Object.entries(content)[0] ?? []
      const name = schema && nameOf(schema)
      return `${status}${name ? ` with ${code(name)}` : type ? ` with ${type}` : ''}`
    })
    .join(', ')

const nameOf = ({ $ref }: Schema) => $ref?.split('/').at(-1)

const resolved = (schema: Schema): Schema => {
  const name = nameOf(schema)
  return name ? (document.components.schemas[name] ?? {}) : schema
}

function typeOf(schema: Schema): string {
  const name = nameOf(schema)
  if (name) return code(name)
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map(value => code(String(value))).join(', ')
  const either = schema.anyOf ?? schema.oneOf
  if (either) return [...new Set(either.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'anything'}`
  return [schema.type ?? 'anything'].flat().join(' or ')
}
