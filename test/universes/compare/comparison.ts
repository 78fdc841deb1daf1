import { isDeepStrictEqual } from 'node:util'
import { randomFrom } from '../../random.js'
import { type Model, modelAsOf } from '../model/read-model.js'
import { type Sample, type Sampled, takeSample } from './sample.js'

export type Row = Record<string, unknown>
/** A whole list, and its first page. */
export type List = { rows: Row[]; first: Row }
export type Query = Readonly<Record<string, string | number | undefined>>

export type CompareOptions = {
  /** Of a service that has the head of the model. */
  url: string
  /** Of a plan with everything. */
  key: string
  model: Model
  sample: Sample
  /** How long answers may take that a job makes, and that are refused for a moment. */
  untilMs?: number
  /** How many seconds of the chain what jobs make may be behind the head when the time is over; any number unless given. */
  ageSecMax?: number
  /** After how many differences the comparison ends; 20 unless given. */
  differencesMax?: number
}

/** More say nothing new, and a service that is wrong in everything would take long. */
const DIFFERENCES_MAX = 20
/** Jobs make some answers every 15 s, and one whose process was killed is taken over first. It takes time only where something differs. */
const UNTIL_MS = 40_000
const WAIT_MS = 250
const PAGE_MIN = 40
const PAGE_MAX = 300

/** A job of the service has refreshed the board between two pages: the service answers its cursor with 409. */
const REPLACED = 'replaced'

/** Ends a comparison that has found as many differences as it reports. */
export class EnoughDifferences extends Error {}

/** Asks the service, and notes in words what is not as the model says. */
export class Comparison {
  readonly model: Model
  readonly sampled: Sampled
  readonly differences: string[] = []
  /** The paths that were asked for, without their queries. */
  readonly paths = new Set<string>()
  readonly #url: string
  readonly #key: string
  readonly #untilMs: number
  readonly #ageSecMax: number
  readonly #differencesMax: number
  readonly #below: (bound: number) => number
  #past: Model

  constructor(options: CompareOptions) {
    const { url, key, model, sample, untilMs = UNTIL_MS } = options
    this.#ageSecMax = options.ageSecMax ?? Number.POSITIVE_INFINITY
    this.#differencesMax = options.differencesMax ?? DIFFERENCES_MAX
    this.model = model
    this.#past = model
    this.#url = url
    this.#key = key
    this.#untilMs = Date.now() + untilMs
    this.#below = randomFrom(sample.seed)
    this.sampled = takeSample(model, sample, this.#below)
  }

  /** The body of a 200. `undefined`: there is none, and a difference is noted. */
  async get(path: string, query: Query = {}): Promise<Row | undefined> {
    const text = await this.read(path, query)
    return text === undefined ? undefined : (JSON.parse(text) as Row)
  }

  /** The same without the reading of JSON. */
  async read(path: string, query: Query = {}): Promise<string | undefined> {
    return this.#fetch(requestOf(path, query), {})
  }

  async post(path: string, body: object): Promise<Row | undefined> {
    const headers = { 'content-type': 'application/json' }
    const text = await this.#fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    return text === undefined ? undefined : (JSON.parse(text) as Row)
  }

  /** All rows of a list, page by page. `undefined`: a page was refused, and a difference is noted. */
  async walk(path: string, name: string, query: Query = {}): Promise<Row[] | undefined> {
    const list = await this.list(path, name, query)
    return list?.rows
  }

  /** The same with the first page, for what it says beside its rows. */
  async list(path: string, name: string, query: Query = {}, limitMax = PAGE_MAX): Promise<List | undefined> {
    for (;;) {
      const list = await this.#walkOnce(path, name, query, limitMax)
      if (list !== REPLACED) return list
    }
  }

  async #walkOnce(
    path: string,
    name: string,
    query: Query,
    limitMax: number,
  ): Promise<List | typeof REPLACED | undefined> {
    const rows: Row[] = []
    const limit = Math.min(limitMax, PAGE_MIN + this.#below(PAGE_MAX - PAGE_MIN + 1))
    let first: Row | undefined
    for (let cursor: unknown; cursor !== null; ) {
      const request = requestOf(path, { ...query, limit, cursor: cursor as string | undefined })
      const text = await this.#fetch(request, {}, { mayBeReplaced: cursor !== undefined })
      if (text === REPLACED) return REPLACED
      if (text === undefined) return undefined
      const page = JSON.parse(text) as Row
      first ??= page
      const more = page[name] as Row[]
      rows.push(...more)
      cursor = page.next_cursor
      if (cursor !== null && more.length === 0) {
        this.report(requestOf(path, query), 'a page without rows has a cursor')
        return undefined
      }
    }
    return first && { rows, first }
  }

  /** Compares again until nothing differs, within the time that the comparison has: for what jobs make. */
  async eventually(compare: () => Promise<void>): Promise<void> {
    const before = this.differences.length
    for (;;) {
      try {
        await compare()
      } catch (error) {
        if (!(error instanceof EnoughDifferences)) throw error
      }
      if (this.differences.length === before || !(await this.#pause(WAIT_MS))) break
      this.differences.length = before
    }
    if (this.differences.length >= this.#differencesMax) throw new EnoughDifferences()
  }

  /** The model as it was at that time, for answers that say how far they know the chain. */
  asOf(where: string, timeSec: number): Model {
    const { head } = this.model
    if (timeSec > head.timeSec)
      this.report(where, `as_of ${timeSec} is after the last block, ${head.timeSec}`)
    if (timeSec < head.timeSec - this.#ageSecMax) {
      this.report(where, `as_of ${timeSec} is long before the last block, ${head.timeSec}`)
    }
    if (this.#past.head.timeSec !== timeSec) this.#past = modelAsOf(this.model, timeSec)
    return this.#past
  }

  /** Each field of `expected` is what it is in `found`; other fields do not matter. */
  same(where: string, found: Row, expected: Row): void {
    for (const [field, value] of Object.entries(expected)) {
      if (found[field] === value || isDeepStrictEqual(found[field], value)) continue
      this.report(where, `${field} is ${textOf(found[field])} in place of ${textOf(value)}`)
    }
  }

  /** The same rows, each once. With `isOrdered` in the same order. */
  rows(where: string, found: readonly Row[], expected: readonly Row[], rules: RowRules): void {
    const { key, isOrdered = true } = rules
    const keyOf = (row: Row) => key.map((field) => String(row[field])).join(' ')
    const wanted = new Map(expected.map((row) => [keyOf(row), row]))
    const seen = new Set<string>()
    for (const row of found) {
      const name = keyOf(row)
      const same = wanted.get(name)
      if (seen.has(name)) this.report(where, `the row ${name} comes twice`)
      else if (same === undefined) this.report(where, `the row ${name} is one too many`)
      else this.same(`${where}, row ${name}`, row, same)
      seen.add(name)
    }
    for (const name of wanted.keys()) if (!seen.has(name)) this.report(where, `the row ${name} is missing`)
    if (!isOrdered) return
    const order = expected.map(keyOf).filter((name) => seen.has(name))
    const shown = [...seen].filter((name) => wanted.has(name))
    const at = shown.findIndex((name, index) => name !== order[index])
    if (at >= 0) this.report(where, `the row ${shown[at]} comes at ${at} in place of ${order[at]}`)
  }

  /** Each number is no larger than the one before. */
  descending(where: string, numbers: readonly bigint[]): void {
    const at = numbers.findIndex((number, index) => number > (numbers[index - 1] ?? number))
    if (at >= 0)
      this.report(where, `row ${at} is larger than the one before it, ${numbers[at]} > ${numbers[at - 1]}`)
  }

  report(where: string, what: string): void {
    this.differences.push(`${where}: ${what}`)
    if (this.differences.length >= this.#differencesMax) throw new EnoughDifferences()
  }

  async #fetch(
    request: string,
    init: RequestInit,
    { mayBeReplaced = false } = {},
  ): Promise<string | undefined> {
    this.paths.add(request.split('?')[0] ?? request)
    // Compression would take longer than all the rest.
    const plain = { 'x-api-key': this.#key, 'accept-encoding': 'identity' }
    const headers = { ...init.headers, ...plain, 'x-head-block': `${this.model.head.block}` }
    for (;;) {
      const reply = await fetchText(`${this.#url}${request}`, { ...init, headers })
      if (reply.status === 200) return reply.text
      if (reply.status === 409 && mayBeReplaced && (await this.#pause(WAIT_MS))) return REPLACED
      if (reply.retryMs !== undefined && (await this.#pause(reply.retryMs))) continue
      this.report(request, `${reply.status} ${reply.text.slice(0, 200)}`)
      return undefined
    }
  }

  /** False: there is not enough time left. */
  async #pause(ms: number): Promise<boolean> {
    if (Date.now() + ms > this.#untilMs) return false
    await new Promise((next) => setTimeout(next, ms))
    return true
  }
}

export type RowRules = {
  /** The fields that tell rows apart. */
  key: readonly string[]
  isOrdered?: boolean
}

/** A request as a difference names it. */
export function requestOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size === 0 ? path : `${path}?${search}`
}

/** `retryMs`: after which time another attempt may succeed. A connection that fails has the status 0. */
type Reply = { status: number; text: string; retryMs: number | undefined }

async function fetchText(url: string, init: RequestInit): Promise<Reply> {
  try {
    const reply = await fetch(url, init)
    const isForNow = reply.status === 429 || reply.status === 503
    const retryMs = isForNow ? Number(reply.headers.get('retry-after') ?? 1) * 1000 : undefined
    return { status: reply.status, text: await reply.text(), retryMs }
  } catch (error) {
    const { message, cause } = error as Error
    return { status: 0, text: `${message}: ${cause}`, retryMs: WAIT_MS }
  }
}

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'absent'
