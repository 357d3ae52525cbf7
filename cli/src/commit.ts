/** A commit as it is given on the command line. */
import { ref } from '@quarterdeck/contract'
import { InvalidArgumentError } from 'commander'

export function commit(text: string): string {
  const { success, data } = ref.safeParse(text)
  if (success) return data
  throw new InvalidArgumentError('It must be a commit id of 7 to 64 hexadecimal digits.')
}
