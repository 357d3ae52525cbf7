/** Every option of quarterdeck.yaml, from the schema that checks it. */
import { configSchema } from '../../control/src/config.ts'
import { code, page, table } from './made-markdown.ts'

interface Schema {
  type?: string
  description?: string
  default?: unknown
  enum?: unknown[]
  const?: unknown
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  minimum?: number
  maximum?: number
}

export function configurationPage(): string {
  const schema = configSchema() as Schema
  const rows = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => rowsOf(key, value))
  return page(
    {
      title: 'Every option of quarterdeck.yaml',
      description:
        'The options of quarterdeck.yaml with their defaults, made from the schema that checks them.',
      order: 30,
    },
    `[Configuration](../configuration.md) says where the file is and shows an example. Every option has a default; an unknown one stops the start.

${table(['option', 'value', 'default', 'what it is for'], rows)}`,
  )
}

function rowsOf(path: string, schema: Schema): string[][] {
  const inner = schema.properties
  if (!inner) {
    const many = schema.items?.properties
    const own = [code(path), typeOf(schema), defaultOf(schema), schema.description ?? '']
    return [own, ...Object.entries(many ?? {}).flatMap(([key, value]) => rowsOf(`${path}[].${key}`, value))]
  }
  const heading = schema.description ? [[code(path), '', '', schema.description]] : []
  return [...heading, ...Object.entries(inner).flatMap(([key, value]) => rowsOf(`${path}.${key}`, value))]
}

function typeOf({
  type,
  enum: values,
  const: only,
  items,
  anyOf,
  oneOf,
  minimum,
  maximum,
  properties,
}: Schema): string {
  if (only !== undefined) return code(String(only))
  if (values) return values.map(value => code(String(value))).join(', ')
  const either = anyOf ?? oneOf
  if (either) return either.map(typeOf).join(' or ')
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`
  if (properties)
    return `{ ${Object.entries(properties)
      .map(([key, value]) => `${key}: ${typeOf(value)}`)
      .join(', ')} }`
  return type === 'integer' || type === 'number' ? `${type}${range(minimum, maximum)}` : (type ?? '')
}

const range = (least?: number, most?: number) =>
  least === undefined || most === undefined || most > Number.MAX_SAFE_INTEGER / 2
    ? ''
    : `, ${least} to ${most}`

const defaultOf = ({ default: value }: Schema) => (value === undefined ? '–' : code(JSON.stringify(value)))
