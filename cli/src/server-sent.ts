/** Reads server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */

export interface ServerSentEvent {
  /** Of this event or, as the standard has it, of the last one before that had one. */
  id: string
  event: string
  data: string
}

/** Whole events, whatever the pieces they come in; one that was cut off is dropped. */
export async function* serverSentEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let id = ''
  let event = ''
  let data: string[] = []
  for await (const line of lines(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') }
      event = ''
      data = []
      continue
    }
    const colon = line.indexOf(':')
    // A line that begins with a colon is a comment: it keeps the connection alive.
    if (colon === 0) continue
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
  }
}

/** Lines end with LF, CR or CRLF; a CR at the end of a piece may have its LF in the next. */
async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    rest += chunk
    const held = rest.endsWith('\r') ? '\r' : ''
    const whole = (held ? rest.slice(0, -1) : rest).split(/\r\n|\r|\n/)
    rest = whole.pop()! + held
    yield* whole
  }
}
