/** Expressions that nobody would think of, for comparing two engines. */
import fc from 'fast-check'

const labels = fc.subarray(['job', 'instance', 'method', 'code', 'room', 'part', '__name__'], {
  maxLength: 3,
})
const list = labels.map(names => `(${names.join(', ')})`)
const number = fc.constantFrom('0', '1', '-2', '0.5', '1e3', 'Inf', 'NaN', '7')
const duration = fc.constantFrom('1s', '2500ms', '5s', '9s', '1m')
const matcher = fc.constantFrom(
  'job="steady"',
  'code!="500"',
  'method=~"G.*|POST"',
  'room!~"a|b"',
  'nothing=""',
)
const metric = fc.constantFrom(
  'up',
  'requests_total',
  'limit_requests',
  'temperature',
  'flapping',
  'ended',
  'late',
  'free_bytes',
  '{__name__=~"up|requests_total"}',
)
const offset = fc.constantFrom('', '', '', ' offset 2s', ' offset -1s')
const selector = fc
  .tuple(metric, fc.option(matcher, { nil: undefined }))
  .map(([name, only]) =>
    only === undefined ? name : name.endsWith('}') ? `${name.slice(0, -1)},${only}}` : `${name}{${only}}`,
  )

const onRange = fc.constantFrom(
  ...['rate', 'increase', 'delta', 'irate', 'idelta', 'deriv', 'changes', 'resets', 'absent_over_time'],
  ...['avg', 'min', 'max', 'sum', 'count', 'last', 'present', 'stddev', 'stdvar'].map(
    name => `${name}_over_time`,
  ),
)
const onVector = fc.constantFrom(
  'abs',
  'ceil',
  'floor',
  'sgn',
  'round',
  'absent',
  'timestamp',
  'sqrt',
  '-',
  '+',
  '',
)
const aggregation = fc.constantFrom('sum', 'avg', 'min', 'max', 'count', 'group')
const comparison = fc.constantFrom('==', '!=', '>', '<', '>=', '<=')
const arithmetic = fc.constantFrom('+', '-', '*', '/', '%', '^')
const setOperator = fc.constantFrom('and', 'or', 'unless')
const by = fc.constantFrom('by', 'without')
const matching = fc.tuple(fc.constantFrom('on', 'ignoring'), list).map(parts => parts.join(' '))
const grouped = fc.constantFrom('', '', ' group_left', ' group_right', ' group_left (code)')
const maybeMatching = fc.oneof(
  fc.constant(''),
  fc.tuple(matching, grouped).map(parts => parts.join('')),
)

/** Each is a vector, and most are not refused. */
export const randomExpression: fc.Arbitrary<string> = fc.letrec<{ vector: string }>(tie => ({
  vector: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(selector, offset).map(parts => parts.join('')),
    fc
      .tuple(onRange, selector, duration, offset)
      .map(([name, of, range, later]) => `${name}(${of}[${range}]${later})`),
    fc.tuple(onVector, tie('vector')).map(([name, of]) => `${name}(${of})`),
    fc
      .tuple(aggregation, by, list, tie('vector'))
      .map(([name, how, names, of]) => `${name} ${how} ${names} (${of})`),
    fc
      .tuple(
        tie('vector'),
        fc.oneof(
          arithmetic,
          comparison,
          comparison.map(one => `${one} bool`),
        ),
        number,
      )
      .map(([of, operator, to]) => `(${of}) ${operator} ${to}`),
    fc
      .tuple(number, fc.oneof(arithmetic, comparison), tie('vector'))
      .map(([of, operator, to]) => `${of} ${operator} (${to})`),
    fc
      .tuple(
        tie('vector'),
        fc.oneof(
          arithmetic,
          comparison,
          comparison.map(one => `${one} bool`),
        ),
        maybeMatching,
        tie('vector'),
      )
      .map(([of, operator, how, to]) => `(${of}) ${operator} ${how} (${to})`),
    fc
      .tuple(tie('vector'), setOperator, fc.oneof(fc.constant(''), matching), tie('vector'))
      .map(([of, operator, how, to]) => `(${of}) ${operator} ${how} (${to})`),
  ),
})).vector
