import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { ApiError, joinWork, messageOf } from '../core/errors.js'
import type { Log } from '../lib/log.js'
import { pause } from '../lib/timing.js'
import type { Pool, Sql } from './connection.js'

/** How old a copy may be that stands in for upstreams that do not answer. */
export const COPY_MS_MAX = 12 * 60 * 60_000
/** A copy is stored no more often: it is there for the next process. */
const STORE_MS = 60_000
/** After a failure the copy is shown for this long before the upstream is asked again. */
const REST_MS = 1_000
/** Clients give up after ten seconds, and an answer may need several copies. */
const WAIT_MS = 2_500
/** For this long after a failure a request waits for the next load only this long. */
const FAILING_MS = 10_000
const FAILING_WAIT_MS = 500
/** Characters of all copies in memory. */
const SIZE_MAX = 64 * 1024 * 1024

/** What an upstream said at that time. `isStale`: it does not answer now, or not in time, and this is the last copy. */
export type Copy<Value> = { value: Value; asOfMs: number; isStale: boolean }

export type CopyRequest<Value> = {
  /** How long a copy is served without asking again. */
  freshMs: number
  /** A load that takes longer goes on, and requests are shown the last copy; absent: 2.5 seconds. */
  waitMs?: number | undefined
  /** Who pays for the load; others that wait for it are not refused because of that account. */
  accountId?: number | undefined
  /** Gives plain JSON. An `ApiError` is an answer, such as 404; whatever else it throws, the last copy stands in. */
  load: () => Promise<Value>
  /** Whether the upstream may have answered wrongly: then the last copy stands in, and without one the value is not kept. */
  isDoubtful?: (value: Value) => boolean
}

/** `size`: of its JSON, in characters. */
type Kept = { value: unknown; size: number; asOfMs: number; storedMs: number; failedMs: number }

type Loading = { copy: Promise<Copy<unknown>>; startedAt: number }

type CopyParts = { store: { readonly sql: Pool }; clock: Clock; log: Log }

/**
 * Copies of what upstreams said, by key. Any number of requests for one that is not fresh make one
 * load. When a load fails or takes long the last copy stands in for twelve hours, also after a restart.
 */
export class Copies {
  readonly #parts: CopyParts
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: SIZE_MAX,
    sizeCalculation: ({ size }, key) => size + key.length + 256,
  })
  readonly #loading = new Map<string, Loading>()

  constructor(parts: CopyParts) {
    this.#parts = parts
  }

  async get<Value>(key: string, request: CopyRequest<Value>): Promise<Copy<Value>> {
    const nowMs = this.#parts.clock.now()
    const kept = this.#kept.get(key)
    if (kept !== undefined && nowMs - kept.asOfMs < request.freshMs) return show(kept, false)
    if (kept !== undefined && nowMs - kept.failedMs < REST_MS) return show(kept, true)
    return (await joinWork(request.accountId, () => this.#join(key, request))) as Copy<Value>
  }

  async #join<Value>(key: string, request: CopyRequest<Value>): Promise<Copy<unknown>> {
    const { copy, startedAt } = this.#loading.get(key) ?? this.#begin(key, request)
    const waited = new AbortController()
    const leftMs = startedAt + this.#waitMsOf(key, request) - performance.now()
    const loaded = await Promise.race([copy, pause(Math.max(0, leftMs), waited.signal)]).finally(() =>
      waited.abort(),
    )
    if (loaded !== undefined) return loaded
    // Without the database there is nothing but the load to wait for.
    const kept = await this.#last(key).catch(() => undefined)
    return kept === undefined ? await copy : show(kept, true)
  }

  #waitMsOf<Value>(key: string, { waitMs = WAIT_MS }: CopyRequest<Value>): number {
    const { failedMs = 0 } = this.#kept.peek(key) ?? {}
    const isFailing = this.#parts.clock.now() - failedMs < FAILING_MS
    return isFailing ? Math.min(waitMs, FAILING_WAIT_MS) : waitMs
  }

  #begin<Value>(key: string, request: CopyRequest<Value>): Loading {
    const copy = this.#load(key, request).finally(() => this.#loading.delete(key))
    const loading = { copy, startedAt: performance.now() }
    this.#loading.set(key, loading)
    return loading
  }

  async #load<Value>(key: string, { load, isDoubtful }: CopyRequest<Value>): Promise<Copy<unknown>> {
    try {
      const value = await load()
      if (isDoubtful?.(value) === true) return (await this.#standIn(key)) ?? this.#once(value)
      const text = JSON.stringify(value)
      const { storedMs = Number.NEGATIVE_INFINITY } = this.#kept.peek(key) ?? {}
      const asOfMs = this.#parts.clock.now()
      const size = text.length
      const kept: Kept = { value, size, asOfMs, storedMs, failedMs: Number.NEGATIVE_INFINITY }
      this.#kept.set(key, kept)
      if (asOfMs - storedMs >= STORE_MS) void this.#store(key, kept, text)
      return show(kept, false)
    } catch (error) {
      if (error instanceof ApiError) throw error
      const last = await this.#standIn(key)
      if (last === undefined) throw error
      return last
    }
  }

  #once<Value>(value: Value): Copy<Value> {
    return { value, asOfMs: this.#parts.clock.now(), isStale: false }
  }

  async #standIn(key: string): Promise<Copy<unknown> | undefined> {
    const kept = await this.#last(key)
    if (kept === undefined) return undefined
    kept.failedMs = this.#parts.clock.now()
    return show(kept, true)
  }

  async #last(key: string): Promise<Kept | undefined> {
    const sinceMs = this.#parts.clock.now() - COPY_MS_MAX
    const known = this.#kept.get(key)
    if (known !== undefined) return known.asOfMs >= sinceMs ? known : undefined
    const row = await selectCopy(this.#parts.store.sql, key, sinceMs)
    if (row === undefined) return undefined
    const { body, asOfMs } = row
    const size = body.length
    const kept: Kept = { value: JSON.parse(body), size, asOfMs, storedMs: asOfMs, failedMs: 0 }
    this.#kept.set(key, kept)
    return kept
  }

  async #store(key: string, kept: Kept, text: string): Promise<void> {
    const { asOfMs } = kept
    kept.storedMs = asOfMs
    const { store, log } = this.#parts
    await upsertCopy(store.sql, key, { text, asOfMs }).catch((error) =>
      log.debug({ reason: messageOf(error) }, 'copy of an upstream not stored'),
    )
  }
}

const show = <Value>({ value, asOfMs }: Kept, isStale: boolean): Copy<Value> => ({
  value: value as Value,
  asOfMs,
  isStale,
})

async function selectCopy(sql: Sql, key: string, sinceMs: number) {
  const [row] = await sql<{ body: string; asOfMs: number }[]>`
    select body, (extract(epoch from as_of) * 1000)::float8 as as_of_ms
      from upstream_copies where key = ${key} and as_of >= ${new Date(sinceMs)}`
  return row
}

const upsertCopy = (sql: Sql, key: string, { text, asOfMs }: { text: string; asOfMs: number }) => sql`
  insert into upstream_copies (key, body, as_of) values (${key}, ${text}, ${new Date(asOfMs)})
  on conflict (key) do update set body = excluded.body, as_of = excluded.as_of
   where upstream_copies.as_of < excluded.as_of`

/** Those that no request may see any more. */
export const deleteOldCopies = (sql: Sql, nowMs: number) => sql`
  delete from upstream_copies where as_of < ${new Date(nowMs - COPY_MS_MAX)}`
