import { operations } from '@quarterdeck/contract'
import { cursorOf, type Route, read } from '#http'
import { listAudit } from './audit.ts'

export const auditRoutes = (): Route[] => [
  read(operations.listAudit, (call, transaction) =>
    listAudit(transaction, call.query, cursorOf(call.query, /^\d{1,15}$/)),
  ),
]
