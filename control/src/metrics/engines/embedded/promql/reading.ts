/** What the readers of an expression share: its text, and how a problem is told with its place. */
import type { SyntaxNode } from '@lezer/common'
import { ExpressionRefused } from './refused.ts'

export class Reading {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  textOf(node: SyntaxNode): string {
    return this.text.slice(node.from, node.to)
  }

  refuse(node: { from: number }, problem: string): never {
    throw new ExpressionRefused(this.text, node.from, problem)
  }
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child)
  }
  return children
}
