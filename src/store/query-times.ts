import type { Stopwatch } from '../lib/stopwatch.js'
import type { Pool } from './connection.js'

/**
 * The fields of the driver's query that say when it runs. It is `active` while the database works on it;
 * from the call of `handler` until then it waits for a connection.
 */
type DriverQuery = {
  strings: TemplateStringsArray
  args: readonly never[]
  options: object
  handler: (query: DriverQuery) => void
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  active: boolean
  [TIMES]?: QueryTimes
}

const TIMES = Symbol('times')

/** Who may query when. */
export type QuerySlots = {
  /** The result ends the slot, and is called once. Rejects with the error that the query ends with. */
  acquire(): (() => void) | Promise<() => void>
}

type Watch = {
  /** Counts the queries of a request; `undefined`: they are not counted. */
  stopwatch?: Stopwatch | undefined
  /** Each query, or each transaction as a whole, waits for a slot. */
  slots?: QuerySlots
  /** For queries that fail because of the server. `undefined`: they fail. */
  fallback?: Fallback | undefined
}

type Fallback = {
  /** The same tables on another server, for the query that failed and for all after it. */
  pool: Pool
  isFor: (error: unknown) => boolean
}

/** The same pool for one request, whose queries are counted and wait for their slots. */
export function watchQueries(pool: Pool, given: Watch): Pool {
  const { stopwatch, slots, fallback } = given
  if (stopwatch === undefined && slots === undefined) return pool
  const watch: InnerWatch = { stopwatch, slots, fallback: fallback && { ...fallback, isUsed: false } }
  const begin = async (work: (tx: object) => unknown) => {
    let end = stopwatch?.beginWait()
    const release = once(await slots?.acquire())
    if (watch.fallback !== undefined) watch.fallback.release = release
    const begun = pool.begin(async (tx) => {
      end?.()
      const result = await work(watchCalls(tx, { stopwatch }))
      end = stopwatch?.beginQuery(() => 'commit')
      return result
    })
    return await begun.finally(() => {
      release()
      end?.()
    })
  }
  return watchCalls(pool, watch, { begin, [FALLBACK]: watch.fallback })
}

const FALLBACK = Symbol('fallback')

type InnerWatch = Pick<Watch, 'stopwatch'> & {
  slots?: QuerySlots | undefined
  fallback?: UsedFallback | undefined
}

type UsedFallback = Fallback & {
  isUsed: boolean
  /** Ends the slot of a transaction: the driver ends it later, when a server that hangs has closed the connection. */
  release?: () => void
}

function once(end: (() => void) | undefined): () => void {
  let left = end
  return () => {
    left?.()
    left = undefined
  }
}

/**
 * Where a transaction that only reads is to be repeated; `undefined`: its error is final. Single queries are repeated
 * without this.
 */
export function findFallback(pool: Pool, error: unknown): Pool | undefined {
  const fallback = Reflect.get(pool, FALLBACK) as InnerWatch['fallback']
  if (fallback?.isFor(error) !== true) return undefined
  fallback.release?.()
  return fallback.pool
}

function watchCalls<Sql extends object>(sql: Sql, watch: InnerWatch, own: object = {}): Sql {
  return new Proxy(sql, {
    apply(target, receiver, args) {
      const result: unknown = Reflect.apply(target as never, receiver, args)
      if (isTemplate(args[0])) watchQuery(result as DriverQuery, args[0], watch)
      return result
    },
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  })
}

const isTemplate = (first: unknown): first is TemplateStringsArray => Array.isArray(first) && 'raw' in first

/** A part of a statement is a query, too, but never reaches the handler. */
function watchQuery(query: DriverQuery, template: TemplateStringsArray, watch: InnerWatch): void {
  const { stopwatch, slots, fallback } = watch
  const callSite = stopwatch === undefined ? {} : callSiteOf(template)
  const { handler } = query
  query.handler = (same) => {
    if (fallback?.isUsed === true) return void repeatOn(fallback.pool, query)
    if (fallback !== undefined) repeatAfterFault(query, fallback)
    const times = new QueryTimes(stopwatch, callSite)
    query[TIMES] = times
    Object.defineProperty(query, 'active', ACTIVE)
    const start = (release?: () => void) => {
      times.release = release
      handler(same)
    }
    const slot = slots?.acquire()
    if (slot instanceof Promise) slot.then(start, query.reject)
    else start(slot)
  }
}

/** Once a query was repeated, those after it are sent there, too: they never see less than the ones before. */
function repeatAfterFault(query: DriverQuery, fallback: UsedFallback): void {
  const { reject } = query
  query.reject = (error) => {
    if (!fallback.isFor(error)) return reject(error)
    fallback.isUsed = true
    query.active = false
    void repeatOn(fallback.pool, query, reject)
  }
}

/** The connection that a query was sent to may speak of it once more when it closes, and is not listened to any more. */
function repeatOn(pool: Pool, query: DriverQuery, reject = query.reject): Promise<void> {
  const { resolve } = query
  query.resolve = () => undefined
  query.reject = () => undefined
  const again = pool(query.strings, ...query.args)
  Object.assign((again as unknown as DriverQuery).options, query.options)
  return again.then(resolve, reject)
}

class QueryTimes {
  readonly #stopwatch: Stopwatch | undefined
  readonly #callSite: CallSite
  /** Ends the slot of the query. */
  release: (() => void) | undefined
  #end: (() => void) | undefined
  #isActive = false

  constructor(stopwatch: Stopwatch | undefined, callSite: CallSite) {
    this.#stopwatch = stopwatch
    this.#callSite = callSite
    this.#end = stopwatch?.beginWait()
  }

  get isActive(): boolean {
    return this.#isActive
  }

  /** The driver says `false` when the query ends, also one that never ran. */
  set isActive(value: boolean) {
    this.#isActive = value
    this.#end?.()
    this.#end = value ? this.#stopwatch?.beginQuery(() => nameOf(this.#callSite)) : undefined
    if (value) return
    this.release?.()
    this.release = undefined
  }
}

const ACTIVE: PropertyDescriptor & ThisType<DriverQuery> = {
  get() {
    return this[TIMES]?.isActive
  },
  set(value: boolean) {
    const times = this[TIMES]
    if (times !== undefined) times.isActive = value
  },
}

type CallSite = { stack?: string }

/** Where each statement is in the code. Taken at its first use, because a stack is expensive. */
const callSites = new WeakMap<TemplateStringsArray, CallSite>()

function callSiteOf(template: TemplateStringsArray): CallSite {
  const known = callSites.get(template)
  if (known !== undefined) return known
  const callSite: CallSite = {}
  Error.captureStackTrace(callSite, watchQuery)
  callSites.set(template, callSite)
  return callSite
}

/** The function that a statement stands in, such as `selectTrades`; where it has no name, file and line. */
function nameOf({ stack = '' }: CallSite): string {
  const frame = stack.split('\n').find((line) => /^ +at /.test(line) && !PROXY_FRAME.test(line)) ?? ''
  const named = /at (?:async )?(?:Object\.|new )?([\w$.#]+) (?:\[as [^\]]+\] )?\(/.exec(frame)?.[1]
  return named ?? /([^/]+:\d+):\d+\)?$/.exec(frame)?.[1] ?? 'unknown'
}

/** Of the proxies that a statement passes through on its way to the driver. */
const PROXY_FRAME = /\/store\/(?:query-times|transaction)\.[jt]s|Reflect\.apply/
