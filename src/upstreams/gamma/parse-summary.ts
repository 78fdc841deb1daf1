import { type JsonObject, refuseValue } from '../transport/parse-json.js'

/** What Gamma says of a league. `undefined` is what it leaves out. */
export type GammaLeagueSummary = {
  activeEvents?: number
  liveEvents?: number
  marketCount?: number
  volume24hr?: number
  isUpcoming?: boolean
  /** Days with games, `2026-11-15`. */
  dates?: string[]
}

/** By the name that Gamma gives the league, which is not always its code. */
export type GammaLeagueSummaries = Record<string, GammaLeagueSummary>

const LEAGUES_MAX = 2_000
const DATES_MAX = 400
/** Wrappers inside of wrappers. */
const DEPTH_MAX = 3

/** The shape of this answer is not documented: what it may be called, without regard to capitals and `_`. */
const FIELDS: ReadonlyMap<string, keyof GammaLeagueSummary> = new Map([
  ...named('activeEvents', 'activeevents activegames eventcount eventscount events games active'),
  ...named('liveEvents', 'liveevents livegames livecount live'),
  ...named('marketCount', 'marketcount marketcounts marketscount activemarkets markets'),
  ...named('volume24hr', 'volume24h volume24hr volumes24h volumes24hr'),
  ...named('isUpcoming', 'upcoming isupcoming hasupcoming upcomingleagues'),
  ...named('dates', 'dates eventdates gamedates latesteventdate latesteventdates'),
])

const LEAGUE_NAMES = ['league', 'sport', 'code', 'slug', 'abbreviation', 'name', 'id']
const WRAPPERS = new Set(['leagues', 'sports', 'summary', 'data', 'results'])

function named(field: keyof GammaLeagueSummary, names: string) {
  return names.split(' ').map((name) => [name, field] as const)
}

/**
 * Reads rows (`[{"league": "nba", "live": 2}]`), rows by league (`{"nba": {"live": 2}}`) and fields by
 * league (`{"live": {"nba": 2}}`), each also inside a wrapper such as `leagues`. What it does not
 * understand it leaves out.
 */
export function parseSportsSummary(value: unknown, path: string): GammaLeagueSummaries {
  if (typeof value !== 'object' || value === null) return refuseValue(path, 'a summary', value)
  const found = new Map<string, GammaLeagueSummary>()
  const put = (league: string, field: string, content: unknown) => {
    const name = FIELDS.get(toPlainName(field))
    const row = found.get(league) ?? {}
    if (league === '' || found.size >= LEAGUES_MAX) return
    found.set(league, name === undefined ? row : { ...row, ...readField(name, content) })
  }
  readLevel(value, put)
  return Object.fromEntries(found)
}

type Put = (league: string, field: string, content: unknown) => void

function readLevel(value: object, put: Put, depth = 0): void {
  if (Array.isArray(value)) {
    readRows(value, put)
    return
  }
  for (const [key, content] of Object.entries(value)) {
    if (typeof content !== 'object' || content === null) continue
    if (WRAPPERS.has(toPlainName(key)) && depth < DEPTH_MAX) readLevel(content, put, depth + 1)
    else if (FIELDS.has(toPlainName(key))) readColumn(key, content, put)
    else readRow(key, content, put)
  }
}

function readRows(rows: readonly unknown[], put: Put): void {
  for (const row of rows.filter(isObject)) {
    const league = LEAGUE_NAMES.map((name) => row[name]).find((name) => typeof name === 'string')
    readRow(league ?? '', row, put)
  }
}

function readRow(league: string, row: object, put: Put): void {
  for (const [field, content] of Object.entries(row)) put(league, field, content)
}

/** `{"live": {"nba": 2}}`, or the leagues of which something is true: `{"upcoming": ["nba"]}`. */
function readColumn(field: string, column: object, put: Put): void {
  if (Array.isArray(column)) {
    for (const league of column) if (typeof league === 'string') put(league, field, true)
  } else for (const [league, content] of Object.entries(column)) put(league, field, content)
}

function readField(name: keyof GammaLeagueSummary, content: unknown): GammaLeagueSummary {
  if (name === 'dates') {
    const days = (Array.isArray(content) ? content : [content]).flatMap(toDay)
    return days.length === 0 ? {} : { dates: [...new Set(days)].sort().slice(-DATES_MAX) }
  }
  if (name === 'isUpcoming')
    return typeof content === 'boolean' ? { isUpcoming: content } : { isUpcoming: count(content) > 0 }
  const number = count(content)
  return number >= 0 ? { [name]: number } : {}
}

/** A list is as many as it has; -1 for what is no number. */
function count(content: unknown): number {
  const number = Array.isArray(content) ? content.length : Number(content)
  const isNumber = typeof content === 'number' || typeof content === 'string'
  return (isNumber || Array.isArray(content)) && Number.isFinite(number) ? number : -1
}

const DAY = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/

const toDay = (value: unknown): string[] =>
  typeof value === 'string' ? (DAY.exec(value)?.slice(0, 1) ?? []) : []

const toPlainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
