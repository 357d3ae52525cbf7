/** A token by its id, whole or shortened: those of operators first, then those of every project. */
import { operations, type Token } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { isWholeId, pickById } from '../ids.ts'
import { itemsOf } from '../pages.ts'

export async function findTokenId(api: Api, text: string): Promise<string> {
  if (isWholeId(text)) return text.toLowerCase()
  const projects = await itemsOf(query => api.call(operations.listProjects, { query }))
  const lists = await Promise.all([tokensOf(api), ...projects.map(({ name }) => tokensOf(api, name))])
  return pickById(text, lists.flat(), 'qd token list').id
}

/** Without a name, those of operators. */
export const tokensOf = (api: Api, name?: string): Promise<Token[]> =>
  itemsOf(query =>
    name
      ? api.call(operations.listDeployTokens, { params: { name }, query })
      : api.call(operations.listTokens, { query }),
  )
