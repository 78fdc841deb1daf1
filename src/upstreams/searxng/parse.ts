import {
  ParseError,
  type Parser,
  parseFields,
  parseNumber,
  parseString,
  parseTimeMs,
  readable,
} from '../transport/parse-json.js'

export type SearxngResults = ReturnType<typeof parseSearchResults>
export type SearxngResult = ReturnType<typeof parseResult>

/** Entries that cannot be read are left out: they come from many engines, and from older versions. */
export function parseSearchResults(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    results: fields.readableList('results', parseResult),
    answers: fields.readableList('answers', parseAnswer),
    suggestions: fields.readableList('suggestions', parseShortText),
    unresponsive: fields.readableList('unresponsive_engines', parseFailure),
  }
}

function parseResult(value: unknown, path: string) {
  const fields = parseFields(value, path)
  const url = fields.required('url', parseWebAddress)
  return {
    title: fields.optional('title', parseShortText) ?? '',
    url: url.href,
    domain: url.hostname.replace(/^www\./, ''),
    snippet: fields.optional('content', parseShortText) ?? '',
    engines: engineNames(value, path),
    score: Math.max(0, fields.optional('score', parseNumber) ?? 0),
    category: fields.optional('category', parseString) ?? 'general',
    publishedMs: fields.optional('publishedDate', readable(parseTimeMs)),
  }
}

/** All engines that found it; versions without the list name the first one alone. */
function engineNames(value: unknown, path: string): string[] {
  const fields = parseFields(value, path)
  const all = fields.list('engines', parseString)
  return all.length > 0 ? [...new Set(all)].sort() : toList(fields.optional('engine', parseString))
}

/** Engines also find torrents and mail addresses. */
function parseWebAddress(value: unknown, path: string): URL {
  const text = parseString(value, path)
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text)
  throw new ParseError(`${path} must be a web address`, path)
}

/** A text in older versions, an object since. */
const parseAnswer: Parser<string> = (value, path) =>
  typeof value === 'string'
    ? parseShortText(value, path)
    : parseFields(value, path).required('answer', parseShortText)

/** Of a text of a page, in UTF-8: some engines send whole pages as snippets. */
const TEXT_BYTES_MAX = 2_048
const CUT = '…'

/** A text of a page; a longer one is cut between two characters and ends with `…`. */
const parseShortText: Parser<string> = (value, path) => {
  const text = parseString(value, path)
  if (Buffer.byteLength(text) <= TEXT_BYTES_MAX) return text
  const kept = new Uint8Array(TEXT_BYTES_MAX - Buffer.byteLength(CUT))
  return text.slice(0, new TextEncoder().encodeInto(text, kept).read) + CUT
}

function parseFailure(value: unknown, path: string) {
  const [engine, reason] = Array.isArray(value) ? value : [value, undefined]
  return {
    engine: parseString(engine, `${path}[0]`),
    reason: typeof reason === 'string' && reason !== '' ? reason : 'no answer',
  }
}

const toList = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value])
