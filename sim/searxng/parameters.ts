import type { HttpRequest } from '../server/handlers.js'
import { readList } from '../server/query.js'

export const ENGINES = ['bing', 'brave', 'duckduckgo'] as const
export type Engine = (typeof ENGINES)[number]

const RANGES_MS: Readonly<Record<string, number>> = {
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 31 * 86_400_000,
  year: 366 * 86_400_000,
}

export type Search = {
  /** Without bangs. */
  query: string
  engines: readonly Engine[]
  pageNumber: number
  /** How old pages may be that say when they were published; `undefined`: any age. */
  rangeMs: number | undefined
  /** Of a `!!` bang, which leads away from the instance. */
  redirect: string | undefined
}

/** A search that the instance refuses, with its own text. */
export class BadSearch extends Error {}

const invalid = (name: string, value: string) =>
  new BadSearch(value === '' ? `Empty ${name} parameter` : `Invalid value "${value}" for parameter ${name}`)

/** The fields of the query and of a form that was posted; the form wins. */
export function readForm({ query, body, headers }: HttpRequest): URLSearchParams {
  const fields = new URLSearchParams(query)
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  if (isForm === true) for (const [name, value] of new URLSearchParams(body)) fields.set(name, value)
  return fields
}

export function readSearch(fields: URLSearchParams): Search {
  const words = (fields.get('q') ?? '').split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) throw new BadSearch('No query')
  checkFields(fields)
  const asked = readList(fields, 'engines').filter(isEngine)
  const named = words.flatMap((word) => (isBang(word) ? word.slice(1) : [])).filter(isEngine)
  const chosen = named.length > 0 ? named : asked
  const plain = words.filter((word) => !isSpecial(word))
  const external = words.find((word) => /^!!\S/.test(word))
  return {
    query: plain.join(' '),
    // Without a known engine, those of the category `general` are asked.
    engines: chosen.length > 0 ? [...new Set(chosen)] : ENGINES,
    pageNumber: Number(fields.get('pageno') ?? 1),
    rangeMs: RANGES_MS[fields.get('time_range') ?? ''],
    redirect:
      external === undefined
        ? undefined
        : `https://${external.slice(2)}.example/?q=${encodeURIComponent(plain.join(' '))}`,
  }
}

const isEngine = (name: string): name is Engine => ENGINES.some((engine) => engine === name)
const isBang = (word: string): boolean => /^![^!]/.test(word)
/** The special syntax of SearXNG: `!engine`, `!!bang`, `:language` and `<timeout`. */
const isSpecial = (word: string): boolean =>
  /^!!/.test(word) || (isBang(word) && isEngine(word.slice(1))) || /^(:[a-z]{2}|<\d)/.test(word)

const LANGUAGE = /^(auto|[a-z]{2,3}(-[a-zA-Z]{2})?)$/

function checkFields(fields: URLSearchParams): void {
  const check = (name: string, isGood: (value: string) => boolean) => {
    const value = fields.get(name)
    if (value !== null && !isGood(value)) throw invalid(name, value)
  }
  check('language', (value) => LANGUAGE.test(value))
  check('pageno', (value) => /^[1-9]\d{0,5}$/.test(value))
  check('safesearch', (value) => /^[012]$/.test(value))
  check('time_range', (value) => value === '' || Object.hasOwn(RANGES_MS, value))
  check('timeout_limit', (value) => /^\d+(\.\d+)?$/.test(value))
}
