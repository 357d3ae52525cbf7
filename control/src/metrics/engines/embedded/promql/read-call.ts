/** Reads the call of a function: known by name, with as many parameters of the right kinds as it takes. */
import type { SyntaxNode } from '@lezer/common'
import { rangeFunctions } from './range-functions.ts'
import { childrenOf, type Reading } from './reading.ts'
import { onlyPrometheus } from './refused.ts'
import type { Call, Expression, ValueType } from './tree.ts'
import { valueFunctions } from './value-functions.ts'

interface Signature {
  readonly takes: readonly ValueType[]
  /** How many of them have to be given; the others have defaults. */
  readonly needed: number
  readonly gives: 'scalar' | 'vector'
}

const ownSignatures = new Map<string, Signature>([
  ['time', { takes: [], needed: 0, gives: 'scalar' }],
  ['scalar', { takes: ['vector'], needed: 1, gives: 'scalar' }],
  ['vector', { takes: ['scalar'], needed: 1, gives: 'vector' }],
  ['timestamp', { takes: ['vector'], needed: 1, gives: 'vector' }],
  ['absent', { takes: ['vector'], needed: 1, gives: 'vector' }],
  ['absent_over_time', { takes: ['range'], needed: 1, gives: 'vector' }],
])

export function readCall(reading: Reading, node: SyntaxNode, read: (node: SyntaxNode) => Expression): Call {
  const named = node.getChild('FunctionIdentifier')!
  const name = reading.textOf(named)
  const signature = signatureOf(name)
  if (!signature) return reading.refuse(named, onlyPrometheus(`${name}()`))
  const { takes, needed, gives } = signature
  const parameters = childrenOf(node.getChild('FunctionCallBody')!).map(read)
  if (parameters.length < needed || parameters.length > takes.length) {
    const count = needed === takes.length ? `${needed}` : `${needed} to ${takes.length}`
    reading.refuse(node, `${name}() takes ${count} parameters, and not ${parameters.length}`)
  }
  parameters.forEach((parameter, i) => {
    if (parameter.type === takes[i]) return
    const wanted = takes[i] === 'range' ? 'a range such as up[5m]' : `a ${takes[i]}`
    reading.refuse({ from: parameter.at }, `${name}() takes ${wanted} here, and not a ${parameter.type}`)
  })
  return { kind: 'call', type: gives, at: node.from, name, parameters }
}

function signatureOf(name: string): Signature | undefined {
  const range = rangeFunctions.get(name)
  if (range) {
    const takes =
      range.parameter === 'first' ? (['scalar', 'range'] as const) : (['range', 'scalar'] as const)
    const count = range.parameter ? 2 : 1
    return { takes: takes.slice(0, count), needed: count, gives: 'vector' }
  }
  const value = valueFunctions.get(name)
  if (value) {
    const takes: ValueType[] = ['vector', ...Array<'scalar'>(value.most).fill('scalar')]
    return { takes, needed: 1 + value.least, gives: 'vector' }
  }
  return ownSignatures.get(name)
}
