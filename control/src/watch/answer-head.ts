/** The head of an HTTP answer: what a probe needs of it. Servers are asked often, so it is read in one pass, line by line. */

/** What is no HTTP, or too much of it. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer'
}

export interface AnswerHead {
  readonly status: number
  /** HTTP/1.0, which closes unless it says otherwise. */
  readonly isOld: boolean
  /** In lower case, without parameters; empty: none was told. */
  type: string
  isCoded: boolean
  location: string | undefined
  /** Undefined: none was told. */
  length: number | undefined
  isChunked: boolean
  connection: string
}

/** `text` is all before the empty line. */
export function readAnswerHead(text: string): AnswerHead {
  const head: AnswerHead = {
    status: statusOf(text),
    isOld: text.charCodeAt(7) === zero,
    type: '',
    isCoded: false,
    location: undefined,
    length: undefined,
    isChunked: false,
    connection: '',
  }
  let start = text.indexOf('\r\n')
  while (start >= 0) {
    start += 2
    const next = text.indexOf('\r\n', start)
    readLine(head, text, start, next < 0 ? text.length : next)
    start = next
  }
  return head
}

function readLine(head: AnswerHead, text: string, start: number, end: number): void {
  const colon = text.indexOf(':', start)
  if (colon < 0 || colon >= end) return
  const read = readers[colon - start]
  if (read === undefined || text.slice(start, colon).toLowerCase() !== read.name) return
  read.into(head, text.slice(colon + 1, end).trim())
}

interface Reader {
  readonly name: string
  into(head: AnswerHead, value: string): void
}

const all: Reader[] = [
  { name: 'content-type', into: readType },
  { name: 'content-length', into: readLength },
  { name: 'transfer-encoding', into: readTransferCoding },
  {
    name: 'content-encoding',
    into(head, value) {
      head.isCoded ||= value !== '' && value.toLowerCase() !== 'identity'
    },
  },
  {
    name: 'connection',
    into(head, value) {
      head.connection += `${value.toLowerCase()},`
    },
  },
  {
    name: 'location',
    into(head, value) {
      head.location ??= value
    },
  },
]

/** By the length of their names, which differ: most headers are passed by without a look at their letters. */
const readers: (Reader | undefined)[] = []
for (const reader of all) readers[reader.name.length] = reader

function readType(head: AnswerHead, value: string): void {
  const end = value.indexOf(';')
  head.type ||= (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}

/** Two lengths are an attack on whoever believes one of them. */
function readLength(head: AnswerHead, value: string): void {
  if (head.length !== undefined) throw new BadAnswer('The answer has two lengths.')
  if (!/^\d{1,15}$/.test(value)) throw new BadAnswer('The length of the answer is no number.')
  head.length = Number(value)
}

function readTransferCoding(head: AnswerHead, value: string): void {
  if (head.isChunked || value.toLowerCase() !== 'chunked')
    throw new BadAnswer('The answer has a transfer coding that nobody asked for.')
  head.isChunked = true
}

const zero = 0x30

function statusOf(text: string): number {
  const [, status] = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |\r|$)/.exec(text) ?? []
  if (status === undefined) throw notHttp()
  return Number(status)
}

export const notHttp = () => new BadAnswer('The answer is not HTTP/1.')
