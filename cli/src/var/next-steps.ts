/** How changed variables reach what runs. */
import type { VariableList } from '@quarterdeck/contract'
import { plain } from '../plain.ts'

export const machinesWithout = ({ instances }: VariableList): string[] =>
  instances.filter(({ current }) => !current).map(({ machine }) => plain(machine))

export function nextSteps(project: string, variables: VariableList): string {
  if (variables.instances.length === 0) return `They count from the first deploy: \`qd deploy ${project}\`.`
  const without = machinesWithout(variables)
  if (without.length === 0) return 'What runs has them.'
  return `What runs on ${without.join(', ')} does not have them yet: the next deploy or \`qd restart ${project}\` brings them.`
}
