/** What an operator does with two numbers. */
import type { Arithmetic, Comparison } from './tree.ts'

export const calculate: Readonly<Record<Arithmetic, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': power,
}

export const compare: Readonly<Record<Comparison, (left: number, right: number) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
}

/** IEEE 754 has 1 to the power of anything as 1; JavaScript does not. */
function power(left: number, right: number): number {
  if (left === 1 || (left === -1 && Math.abs(right) === Infinity)) return 1
  return left ** right
}
