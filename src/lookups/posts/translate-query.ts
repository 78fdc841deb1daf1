import { badRequest } from '../../core/errors.js'

/** How far back the network can be searched, with a minute for the way of the request. */
const SEARCHED_MS = 7 * 86_400_000 - 60_000
/** The network searches up to here. */
const NEWEST_MS = 30_000

/** A query in the operators of the network's API, which differ from those of its web search. */
export type NetworkQuery = {
  query: string
  startMs: number | undefined
  endMs: number | undefined
  /** Where the search begins if the query names an earlier time than can be searched. */
  cutAtMs: number | undefined
}

/** What the API calls the operators of web search. */
const RENAMED: Readonly<Record<string, string>> = {
  min_faves: 'min_likes',
  min_retweets: 'min_reposts',
}

/** A phrase, a parenthesis, or a word that may end in a phrase: `from:name`, `url:"a b"`. */
const TOKEN = /\s*(-?"[^"]*"|-?\(|\)|[^\s()"]+(?:"[^"]*")?|")/gy
const OPERATOR = /^(-?)(since|until|min_faves|min_retweets):(.*)$/is

/** Throws a 400 that names the operator. */
export function translateQuery(text: string, nowMs: number): NetworkQuery {
  const tokens = [...text.matchAll(TOKEN)].map(([, token = '']) => token)
  const kept: string[] = []
  const bounds = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
  let depth = 0
  tokens.forEach((token, index) => {
    if (token === '"') throw badRequest('Invalid q: a quotation mark is not closed')
    if (token.endsWith('(')) depth++
    else if (token === ')') depth--
    if (depth < 0) throw badRequest('Invalid q: a parenthesis is closed that was not opened')
    const [, minus = '', name = '', value = ''] = OPERATOR.exec(token) ?? []
    const operator = name.toLowerCase()
    if (operator !== 'since' && operator !== 'until') {
      kept.push(operator === '' ? token : rename(minus, operator, value))
      return
    }
    const isPart = minus !== '' || depth > 0 || isOr(tokens[index - 1]) || isOr(tokens[index + 1])
    if (isPart) {
      throw badRequest(`Invalid q: ${operator}: holds for the whole query; put it at its end`)
    }
    const timeMs = readTime(operator, value)
    if (operator === 'since') bounds.since = Math.max(bounds.since, timeMs)
    else bounds.until = Math.min(bounds.until, timeMs)
  })
  if (depth > 0) throw badRequest('Invalid q: a parenthesis is not closed')
  if (kept.length === 0) throw badRequest('Invalid q: it has nothing to search for')
  return { query: join(kept), ...toTimes(bounds, nowMs) }
}

const isOr = (token: string | undefined): boolean => token === 'OR'

function rename(minus: string, operator: string, value: string): string {
  if (!/^\d{1,9}$/.test(value)) {
    throw badRequest(`Invalid q: ${operator}: takes a whole number, such as ${operator}:100`)
  }
  return `${minus}${RENAMED[operator]}:${value}`
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:_(\d\d:\d\d:\d\d)_UTC)?$/i

function readTime(operator: string, text: string): number {
  const [, date = '', time = '00:00:00'] = TIME.exec(text) ?? []
  const ms = Date.parse(`${date}T${time}Z`)
  // The 30th of February has the form of a date, and is none.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(`${date}T${time}`)) {
    const allowed = `${operator}:2026-11-14 or ${operator}:2026-11-14_18:30:00_UTC`
    throw badRequest(`Invalid q: ${operator}: takes a UTC date or time: ${allowed}`)
  }
  return ms
}

function toTimes({ since, until }: { since: number; until: number }, nowMs: number) {
  const oldestMs = nowMs - SEARCHED_MS
  const newestMs = nowMs - NEWEST_MS
  if (since > nowMs) throw badRequest('Invalid q: since: is in the future')
  if (since >= until) throw badRequest('Invalid q: since: is not before until:')
  if (until <= oldestMs) {
    throw badRequest('Invalid q: until: is too long ago; posts of the last 7 days can be searched')
  }
  const isCut = since < oldestMs
  return {
    startMs: isCut ? undefined : Math.min(since, newestMs - 1_000),
    endMs: until < newestMs ? until : undefined,
    cutAtMs: isCut && since > Number.NEGATIVE_INFINITY ? oldestMs : undefined,
  }
}

/** With spaces between tokens, but none inside of parentheses. */
const join = (tokens: readonly string[]): string =>
  tokens.reduce((text, token) => (text.endsWith('(') || token === ')' ? text + token : `${text} ${token}`))
