import { Type } from 'typebox'
import { oneOf } from '../http/parameters.js'
import { ERROR_TEXT } from '../http/validation.js'
import { BLANK_CHARACTERS } from '../lib/blank-characters.js'
import { namedObject } from '../lib/named-object.js'
import { OnlineResult, SEARCH_DEFAULTS } from '../lookups/online-result.js'

const ONLINE_ENGINES = ['bing', 'duckduckgo', 'brave'] as const

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f'
const ENGINE = `\\s*(${ONLINE_ENGINES.join('|')})\\s*`

export const OnlineSearchQuery = Type.Object({
  q: Type.String({
    format: 'trimmed',
    minLength: 1,
    maxLength: 400,
    // At least one character that can be seen and is no command of SearXNG.
    pattern: `^[^${CONTROL}]*[^!:<?${BLANK_CHARACTERS}${CONTROL}][^${CONTROL}]*$`,
    title: 'words to search for, without control characters',
    examples: ['bitcoin etf news'],
  }),
  max_results: Type.Integer({
    default: 10,
    description: 'how many results at most; values outside of 1 to 20 count as the nearest of them',
  }),
  engines: Type.String({
    format: 'any-case',
    default: SEARCH_DEFAULTS.engines.join(','),
    maxLength: 100,
    pattern: `^${ENGINE}(,${ENGINE})*$`,
    description: `comma-separated; of ${ONLINE_ENGINES.join(', ')}`,
    [ERROR_TEXT]: `Invalid engines. Allowed: ${ONLINE_ENGINES.join(', ')}`,
  }),
  language: Type.String({
    default: SEARCH_DEFAULTS.language,
    pattern: '^(all|auto|[a-z]{2,3}(-[A-Za-z]{2})?)$',
    description: 'language of the results, such as en-US or de; all, or auto',
  }),
  time_range: Type.Optional(oneOf(['day', 'week', 'month', 'year'], 'how old pages may be; absent: any age')),
  safe_search: Type.Integer({
    default: SEARCH_DEFAULTS.safeSearch,
    minimum: 0,
    maximum: 2,
    description: '0 filters nothing, 1 and 2 filter adult content, moderately or strictly',
  }),
  cache_ttl_seconds: Type.Integer({
    default: SEARCH_DEFAULTS.ttlSeconds,
    description: 'how old an answer may be; values outside of 1 to 3600 count as the nearest of them',
  }),
})

const UnresponsiveEngine = namedObject('UnresponsiveEngine', {
  engine: Type.String(),
  reason: Type.String(),
})

export const OnlineSearchReply = namedObject('OnlineSearch', {
  query: Type.String(),
  source: Type.Literal('search_online'),
  adapter: Type.Literal('searxng'),
  status: Type.Enum(['ok', 'partial'], {
    type: 'string',
    description: '`partial`: an engine did not answer',
  }),
  cached: Type.Boolean({ description: 'the results come from the memory of this service' }),
  engines_requested: Type.Array(Type.String()),
  unresponsive_engines: Type.Array(UnresponsiveEngine),
  result_count: Type.Integer({ minimum: 0 }),
  results: Type.Array(OnlineResult, { description: 'the highest score first' }),
  answers: Type.Array(Type.String()),
  suggestions: Type.Array(Type.String()),
  fetched_at: Type.String({ format: 'date-time', description: 'when the engines were asked' }),
})
