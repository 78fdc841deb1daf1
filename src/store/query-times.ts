import type { Stopwatch } from '../lib/stopwatch.js'
import type { Pool } from './connection.js'

/**
 * The fields of the driver's query that say when it runs. It is `active` while the database works on it;
 * from the call of `handler` until then it waits for a connection.
 */
type DriverQuery = { handler: (query: DriverQuery) => void; active: boolean; [TIMES]?: QueryTimes }

const TIMES = Symbol('times')

/** The same pool for one request, whose stopwatch counts the queries, those of transactions included. */
export function countQueries(pool: Pool, stopwatch: Stopwatch | undefined): Pool {
  if (stopwatch === undefined) return pool
  const begin = (work: (tx: object) => unknown) => {
    let end = stopwatch.beginWait()
    const begun = pool.begin(async (tx) => {
      end()
      const result = await work(countCalls(tx, stopwatch))
      end = stopwatch.beginQuery(() => 'commit')
      return result
    })
    return begun.finally(() => end())
  }
  return countCalls(pool, stopwatch, { begin })
}

function countCalls<Sql extends object>(sql: Sql, stopwatch: Stopwatch, own: object = {}): Sql {
  return new Proxy(sql, {
    apply(target, receiver, args) {
      const result: unknown = Reflect.apply(target as never, receiver, args)
      if (isTemplate(args[0])) countQuery(result as DriverQuery, args[0], stopwatch)
      return result
    },
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  })
}

const isTemplate = (first: unknown): first is TemplateStringsArray => Array.isArray(first) && 'raw' in first

/** A part of a statement is a query, too, but never reaches the handler. */
function countQuery(query: DriverQuery, template: TemplateStringsArray, stopwatch: Stopwatch): void {
  const place = placeOf(template)
  const { handler } = query
  query.handler = (same) => {
    query[TIMES] = new QueryTimes(stopwatch, place)
    Object.defineProperty(query, 'active', ACTIVE)
    handler(same)
  }
}

class QueryTimes {
  readonly #stopwatch: Stopwatch
  readonly #place: Place
  #end: (() => void) | undefined
  #isActive = false

  constructor(stopwatch: Stopwatch, place: Place) {
    this.#stopwatch = stopwatch
    this.#place = place
    this.#end = stopwatch.beginWait()
  }

  get isActive(): boolean {
    return this.#isActive
  }

  /** The driver says `false` when the query ends, also one that never ran. */
  set isActive(value: boolean) {
    this.#isActive = value
    this.#end?.()
    this.#end = value ? this.#stopwatch.beginQuery(() => nameOf(this.#place)) : undefined
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
  Error.captureStackTrace(place, countQuery)
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
