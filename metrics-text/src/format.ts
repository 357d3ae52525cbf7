/** In which of the two formats a page is written. */

/** `text` is version 0.0.4, `openmetrics` is OpenMetrics 1.0. */
export type Format = 'text' | 'openmetrics'

/** Whatever does not call itself OpenMetrics is taken for plain text, as Prometheus takes it. */
export const formatOf = (contentType = ''): Format =>
  contentType.split(';', 1)[0]!.trim().toLowerCase() === 'application/openmetrics-text'
    ? 'openmetrics'
    : 'text'
