/** Any error as an entry of the catalogue. What is not known is ours, and says nothing of the inside. */
import { type ErrorCode, Fault } from '@quarterdeck/contract'

/** What Fastify refuses before a handler sees it. */
const refusals: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The body is not sent as application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than this path takes.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'The body is not valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed_request',
    'The body is not as long as Content-Length says.',
  ],
  FST_ERR_BAD_URL: ['malformed_request', 'The path is not validly encoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is nothing at this path.'],
}

export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  const refusal = refusals[code ?? '']
  if (refusal) return new Fault(...refusal, { cause: error })
  // secure-json-parse throws bare syntax errors (a __proto__ key) with this status.
  if (error instanceof SyntaxError && statusCode === 400)
    return new Fault('invalid_json', 'The body is not acceptable JSON.', { cause: error })
  return new Fault(
    'internal',
    'Something failed that should not have. The log has the cause under this request_id.',
    { cause: error },
  )
}
