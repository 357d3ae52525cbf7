/**
 * A query that is built and compiled once, with holes for what varies: for those that every webhook call makes, where
 * building them anew would take longer than the database does.
 */
import type { CompiledQuery, DatabaseConnection } from 'kysely'
import type { Transaction } from './store.ts'

interface Built<Row> {
  compile(): CompiledQuery<Row>
}

class Hole {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** `build` gets a function that makes the hole of a name. The same query serves every engine: each compiles its own. */
export function prepared<V extends object, Row>(
  build: (transaction: Transaction, hole: <K extends keyof V & string>(name: K) => V[K]) => Built<Row>,
): (transaction: Transaction, values: V) => Promise<Row[]> {
  const compiled = new Map<unknown, CompiledQuery<Row>>()
  return async (transaction, values) => {
    const dialect = transaction.getExecutor().adapter.constructor
    let query = compiled.get(dialect)
    if (!query) {
      query = build(transaction, name => new Hole(name) as never).compile()
      compiled.set(dialect, query)
    }
    const parameters = query.parameters.map(value =>
      value instanceof Hole ? values[value.name as keyof V] : value,
    )
    const connection = connections.get(transaction) ?? (await connectionOf(transaction))
    return (await connection.executeQuery<Row>({ ...query, parameters })).rows
  }
}

/** A transaction has one connection from its beginning to its end: to ask for it each time takes longer than most queries. */
const connections = new WeakMap<Transaction, DatabaseConnection>()

async function connectionOf(transaction: Transaction): Promise<DatabaseConnection> {
  const connection = await transaction.getExecutor().provideConnection(async provided => provided)
  connections.set(transaction, connection)
  return connection
}
