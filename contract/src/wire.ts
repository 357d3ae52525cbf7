/** The small values that documents are made of: ids, names, times, cursors. */
import { z } from 'zod'

/** Slug of a project, service, group or machine. */
export const slug = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,62}$/,
    'lower-case letters, digits and hyphens, starting with a letter, at most 63',
  )
export const id = z.uuidv7()
/** One line of text: no control characters, which neither logs nor every database take. */
export const line = z.string().regex(/^\P{Cc}*$/u, 'must be one line without control characters')
/** UTC, RFC 3339. */
export const time = z.iso.datetime()
/** A commit as git prints it, whole. */
export const sha = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'a whole commit id')
/** A commit as a caller names it, whole or shortened; kept in lower case, as git prints it. */
export const ref = z
  .string()
  .regex(/^[0-9a-fA-F]{7,64}$/, '7 to 64 hexadecimal digits')
  .toLowerCase()
/** `<owner>/<repository>` as a forge names it. */
export const repository = z
  .string()
  .max(140)
  .regex(/^[\w.-]+\/[\w.-]+$/, 'of the form <owner>/<repository>')
/** What the environment of a project is made of. */
export const runtime = z.enum(['python', 'node'])
export type Runtime = z.infer<typeof runtime>
/** A share from 0 to 1. */
export const ratio = z.number().min(0).max(1)
/** An address that a browser or curl can open. */
export const url = z.url({ protocol: /^https?$/, error: 'an http or https address' })
/** A port that a service listens on. */
export const port = z.int().min(1).max(65535)

/** One page of a list. `next_cursor` is null on the last page. */
export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() })

/** A time as Prometheus and Alertmanager write it: any offset, nanoseconds, year 1 for "never". */
export const offsetTime = z.iso.datetime({ offset: true })
/** A duration as Prometheus writes it, largest unit first: `2m`, `1h30m`, `500ms`, `0`. */
export const prometheusDuration = z
  .string()
  .regex(
    /^(0|(?=\d)(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?)$/,
    'a duration such as 30s, 2m or 1h30m',
  )
/** Labels or annotations, by name. */
export const labelSet = z.record(z.string(), z.string())

/** For lists whose entries are told apart by one of their values. */
export const allDifferent = (values: readonly unknown[]) => new Set(values).size === values.length
