import type { Stopwatch } from '../lib/stopwatch.js'
import type { Pool } from './connection.js'

/**
 * The fields of the driver's query that say when it runs. It is `active` while the database works on it;
 * from the call of `handler` until then it waits for a connection.
 */
type DriverQuery = {
  handler: (query: DriverQuery) => void
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
}

/** The same pool for one request, whose queries are counted and wait for their slots. */
export function watchQueries(pool: Pool, watch: Watch): Pool {
  const { stopwatch, slots } = watch
  if (stopwatch === undefined && slots === undefined) return pool
  const begin = async (work: (tx: object) => unknown) => {
    let end = stopwatch?.beginWait()
    const release = await slots?.acquire()
    const begun = pool.begin(async (tx) => {
      end?.()
      const result = await work(watchCalls(tx, { stopwatch }))
      end = stopwatch?.beginQuery(() => 'commit')
      return result
    })
    return await begun.finally(() => {
      release?.()
      end?.()
    })
  }
  return watchCalls(pool, watch, { begin })
}

function watchCalls<Sql extends object>(sql: Sql, watch: Watch, own: object = {}): Sql {
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
function watchQuery(query: DriverQuery, template: TemplateStringsArray, { stopwatch, slots }: Watch): void {
  const place = stopwatch === undefined ? {} : placeOf(template)
  const { handler } = query
  query.handler = (same) => {
    const times = new QueryTimes(stopwatch, place)
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

class QueryTimes {
  readonly #stopwatch: Stopwatch | undefined
  readonly #place: Place
  /** Ends the slot of the query. */
  release: (() => void) | undefined
  #end: (() => void) | undefined
  #isActive = false

  constructor(stopwatch: Stopwatch | undefined, place: Place) {
    this.#stopwatch = stopwatch
    this.#place = place
    this.#end = stopwatch?.beginWait()
  }

  get isActive(): boolean {
    return this.#isActive
  }

  /** The driver says `false` when the query ends, also one that never ran. */
  set isActive(value: boolean) {
    this.#isActive = value
    this.#end?.()
    this.#end = value ? this.#stopwatch?.beginQuery(() => nameOf(this.#place)) : undefined
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

type Place = { stack?: string }

/** Where each statement stands in the code. Taken at its first use, because a stack is expensive. */
const places = new WeakMap<TemplateStringsArray, Place>()

function placeOf(template: TemplateStringsArray): Place {
  const known = places.get(template)
  if (known !== undefined) return known
  const place: Place = {}
  Error.captureStackTrace(place, watchQuery)
  places.set(template, place)
  return place
}

/** The function that a statement stands in, such as `selectTrades`; where it has no name, file and line. */
function nameOf({ stack = '' }: Place): string {
  const frame = stack.split('\n').find((line) => /^ +at /.test(line) && !PROXY_FRAME.test(line)) ?? ''
  const named = /at (?:async )?(?:Object\.|new )?([\w$.#]+) (?:\[as [^\]]+\] )?\(/.exec(frame)?.[1]
  return named ?? /([^/]+:\d+):\d+\)?$/.exec(frame)?.[1] ?? 'unknown'
}

/** Of the proxies that a statement passes through on its way to the driver. */
const PROXY_FRAME = /\/store\/(?:query-times|transaction)\.[jt]s|Reflect\.apply/
