import { LRUCache } from 'lru-cache'
import { type Clock, isYoungerThan } from '../core/clock.js'
import { ApiError, joinWork } from '../core/errors.js'
import { limitCount } from './limit-count.js'
import { pause } from './timing.js'

/** An answer is stored no more often: it is there for the next process. */
const STORE_MS = 60_000
/** For this long after a failure a request waits for the next load only this long. */
const FAILING_MS = 10_000
const FAILING_WAIT_MS = 500

/**
 * What an upstream answered at that time. `isStale`: it does not answer now, or not in time, and this is
 * its last answer; `fault` says why if a load failed just now. `isHit`: it is fresh, and no load was needed.
 */
export type Cached<Value> = {
  value: Value
  asOfMs: number
  isStale: boolean
  isHit: boolean
  fault?: unknown
}

export type CacheRequest<Value> = {
  /** How long an answer is served without asking again. */
  freshMs: number | ((value: Value, asOfMs: number) => number)
  /** A load that takes longer goes on, and requests get the last answer; absent: that of the cache. */
  waitMs?: number | undefined
  /** The account that pays for the load; others that wait for it are not refused because of that account. */
  accountId?: number | undefined
  /** An `ApiError` is an answer, such as 404; whatever else it throws, the last answer stands in. */
  load: () => Promise<Value>
  /** Whether the upstream may have answered wrongly: then the last answer stands in, and without one the value is not kept. */
  isDoubtful?: (value: Value) => boolean
}

export type StaleFallbackOptions = {
  clock: Clock
  /** Of entries, or of characters of their JSON. */
  limits: { max: number } | { maxSize: number; maxEntrySize?: number }
  /** How old an answer may be that stands in after a failure; 0: none does. */
  staleMsMax: number
  /** For this long after a failure the last answer is shown and the upstream gets no request; absent: for no time. */
  restMs?: number
  /** How long a request waits for a load while there is a last answer; absent: without limit. */
  waitMs?: number
  /** Where answers are stored, which must be plain JSON then; absent: in memory alone. */
  storage?: AnswerStorage
}

export type StoredAnswer = { body: string; asOfMs: number }

/** Keeps answers for the next process. */
export type AnswerStorage = {
  select: (key: string, sinceMs: number) => Promise<StoredAnswer | undefined>
  /** Does not throw: an answer that is not stored is still served. */
  upsert: (key: string, answer: StoredAnswer) => void
}

/** `size`: of its JSON, in characters, if the cache is limited by it. */
type Entry = { value: unknown; size: number; asOfMs: number; storedMs: number; failedMs: number }

type Loading = { answer: Promise<Cached<unknown>>; startedAt: number }

/**
 * The last answers of upstreams, by key. Any number of requests for one that is not fresh make one load.
 * When a load fails, or takes long, the last answer stands in; where there is a storage, also after a restart.
 */
export class StaleFallbackCache {
  readonly #options: StaleFallbackOptions
  readonly #entries: LRUCache<string, Entry>
  readonly #loading = new Map<string, Loading>()

  constructor(options: StaleFallbackOptions) {
    const { limits } = options
    this.#options = options
    this.#entries = new LRUCache(
      'max' in limits
        ? limitCount(limits.max)
        : { ...limits, sizeCalculation: ({ size }, key) => size + key.length + 256 },
    )
  }

  async get<Value>(key: string, request: CacheRequest<Value>): Promise<Cached<Value>> {
    const nowMs = this.#options.clock.now()
    const entry = this.#entries.get(key)
    if (entry !== undefined) {
      if (isYoungerThan(freshMsOf(request, entry), entry.asOfMs, nowMs)) return hit(entry)
      if (isYoungerThan(this.#options.restMs ?? 0, entry.failedMs, nowMs)) return stale(entry)
    }
    return (await joinWork(request.accountId, () => this.#join(key, request))) as Cached<Value>
  }

  async #join<Value>(key: string, request: CacheRequest<Value>): Promise<Cached<unknown>> {
    const { answer, startedAt } = this.#loading.get(key) ?? this.#begin(key, request)
    const waitMs = this.#waitMsOf(key, request)
    if (waitMs === undefined) return await answer
    const waited = new AbortController()
    const leftMs = startedAt + waitMs - performance.now()
    const loaded = await Promise.race([answer, pause(Math.max(0, leftMs), waited.signal)]).finally(() =>
      waited.abort(),
    )
    if (loaded !== undefined) return loaded
    // Without the storage there is nothing but the load to wait for.
    const entry = await this.#last(key).catch(() => undefined)
    const isLoading = this.#loading.has(key)
    return entry === undefined || !isLoading ? await answer : stale(entry)
  }

  #waitMsOf<Value>(key: string, request: CacheRequest<Value>): number | undefined {
    const { waitMs = this.#options.waitMs } = request
    if (waitMs === undefined) return undefined
    const { failedMs = 0 } = this.#entries.peek(key) ?? {}
    const isFailing = isYoungerThan(FAILING_MS, failedMs, this.#options.clock.now())
    return isFailing ? Math.min(waitMs, FAILING_WAIT_MS) : waitMs
  }

  #begin<Value>(key: string, request: CacheRequest<Value>): Loading {
    const answer = this.#load(key, request).finally(() => this.#loading.delete(key))
    const loading = { answer, startedAt: performance.now() }
    this.#loading.set(key, loading)
    return loading
  }

  async #load<Value>(key: string, { load, isDoubtful }: CacheRequest<Value>): Promise<Cached<unknown>> {
    try {
      const value = await load()
      const isDoubted = isDoubtful?.(value) === true
      return (isDoubted && (await this.#standIn(key))) || this.#keep(key, value, isDoubted)
    } catch (error) {
      if (error instanceof ApiError) throw error
      const last = await this.#standIn(key, error)
      if (last === undefined) throw error
      return last
    }
  }

  #keep(key: string, value: unknown, isDoubted: boolean): Cached<unknown> {
    const { clock, limits, storage } = this.#options
    const asOfMs = clock.now()
    if (!isDoubted) {
      const text = 'max' in limits ? '' : JSON.stringify(value)
      const { storedMs = Number.NEGATIVE_INFINITY } = this.#entries.peek(key) ?? {}
      const entry = { value, size: text.length, asOfMs, storedMs, failedMs: Number.NEGATIVE_INFINITY }
      this.#entries.set(key, entry)
      if (storage !== undefined && asOfMs - storedMs >= STORE_MS) {
        entry.storedMs = asOfMs
        storage.upsert(key, { body: text, asOfMs })
      }
    }
    return { value, asOfMs, isStale: false, isHit: false }
  }

  async #standIn(key: string, fault?: unknown): Promise<Cached<unknown> | undefined> {
    const entry = await this.#last(key)
    if (entry === undefined) return undefined
    entry.failedMs = this.#options.clock.now()
    return { ...stale(entry), fault }
  }

  async #last(key: string): Promise<Entry | undefined> {
    const { clock, staleMsMax, storage } = this.#options
    const sinceMs = clock.now() - staleMsMax
    const known = this.#entries.get(key)
    if (known !== undefined) return known.asOfMs >= sinceMs ? known : undefined
    const row = await storage?.select(key, sinceMs)
    if (row === undefined) return undefined
    const { body, asOfMs } = row
    const entry = { value: JSON.parse(body), size: body.length, asOfMs, storedMs: asOfMs, failedMs: 0 }
    this.#entries.set(key, entry)
    return entry
  }
}

const freshMsOf = <Value>({ freshMs }: CacheRequest<Value>, { value, asOfMs }: Entry): number =>
  typeof freshMs === 'number' ? freshMs : freshMs(value as Value, asOfMs)

const hit = <Value>({ value, asOfMs }: Entry): Cached<Value> => ({
  value: value as Value,
  asOfMs,
  isStale: false,
  isHit: true,
})

const stale = <Value>(entry: Entry): Cached<Value> => ({ ...hit<Value>(entry), isStale: true, isHit: false })
