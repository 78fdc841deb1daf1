import type { LiveBooks } from '../books/live-books.js'
import { ApiError } from '../core/errors.js'
import type { AnswerTools } from '../http/answer.js'
import { withLinked } from '../lib/abort.js'
import type { Cached, StaleFallbackCache } from '../lib/stale-fallback-cache.js'
import { pause } from '../lib/timing.js'
import type { SocialDeps } from '../lookups/posts/search-posts.js'
import type { LiveScores } from '../scores/live-scores.js'
import type { OnlineSearch } from '../upstreams/searxng/online-search.js'
import type { CallOptions } from '../upstreams/transport/http.js'
import { withUpstreamTimeout } from '../upstreams/transport/upstream-timeout.js'

export type SportsDeps = SocialDeps & {
  books: LiveBooks
  fallbackCache: StaleFallbackCache
  onlineSearch: OnlineSearch
  scores: LiveScores
}

/** What everything of sports is read with: the caller pays for the calls that the request causes. */
export type SportsTools = Pick<AnswerTools<SportsDeps>, 'platform' | 'deps' | 'caller'>

/** One way to read something. `name` is how answers call it, such as `gamma:/events`. */
export type SportsSource<Value> = { name: string; read: (call: CallOptions) => Promise<Value> }

/**
 * `isFallback`: an earlier source did not answer, or had nothing to say. `isDoubtful`: no source that
 * answers has anything suitable, and others do not answer.
 */
export type Sourced<Value> = {
  value: Value
  source: string
  isFallback: boolean
  isDoubtful?: boolean
}

/** How long all sources of an answer may take together: clients give up after ten seconds. */
const TIMEOUT_MS = 8_000
/** When a source has not answered after this time, the next one is read in parallel. */
const SLOW_MS = 1_000
/** With a stale answer in the cache a request waits this long for the sources: then most of them were tried. */
const STALE_WAIT_MS = 5_000

/**
 * Asks sources in this order until one answers with something suitable; if none does, the first answer
 * counts. An `ApiError` is an answer, such as 404. Throws what the last source threw.
 */
export const readFirst = <Value>(
  { caller }: { caller: Pick<SportsTools['caller'], 'accountId'> },
  sources: readonly SportsSource<Value>[],
  isSuitable: (value: Value) => boolean = () => true,
): Promise<Sourced<Value>> =>
  withUpstreamTimeout(
    'gamma',
    (timeout) =>
      withLinked([timeout], async (linked) => {
        const call = { signal: linked.signal, accountId: caller.accountId }
        try {
          return await raceSources(sources, call, isSuitable)
        } finally {
          // Ends the calls whose answers are no longer needed.
          linked.abort()
        }
      }),
    TIMEOUT_MS,
  )

type Ended<Value> = { index: number; answer?: Sourced<Value>; fault?: unknown }

async function raceSources<Value>(
  sources: readonly SportsSource<Value>[],
  call: CallOptions & { signal: AbortSignal },
  isSuitable: (value: Value) => boolean,
): Promise<Sourced<Value>> {
  const running = new Map<number, Promise<Ended<Value>>>()
  const waiting = [...sources.entries()]
  const unsuitable: Ended<Value>[] = []
  let fault: unknown
  for (;;) {
    const next = waiting.shift()
    if (next !== undefined) running.set(next[0], ask(...next, call))
    if (running.size === 0) break
    const slow = waiting.length > 0 ? [pause(SLOW_MS, call.signal)] : []
    const ended = await Promise.race([...running.values(), ...slow])
    if (ended === undefined) continue
    running.delete(ended.index)
    if (ended.answer === undefined) fault = ended.fault
    else if (isSuitable(ended.answer.value)) return ended.answer
    else unsuitable.push(ended)
    if (fault instanceof ApiError) throw fault
  }
  const [first] = unsuitable.sort((a, b) => a.index - b.index)
  if (first?.answer !== undefined) return { ...first.answer, isDoubtful: fault !== undefined }
  throw fault
}

const ask = <Value>(
  index: number,
  { name, read }: SportsSource<Value>,
  call: CallOptions,
): Promise<Ended<Value>> =>
  read(call).then(
    (value) => ({ index, answer: { value, source: name, isFallback: index > 0 } }),
    (fault: unknown) => ({ index, fault }),
  )

/** Like `readFirst`, with a cache: the last answer under the key is served while no source answers. */
export const readFirstOrStale = <Value>(
  tools: SportsTools,
  { key, freshMs, sources, isSuitable }: CachedSources<Value>,
): Promise<Cached<Sourced<Value>>> =>
  tools.deps.fallbackCache.get(key, {
    freshMs,
    waitMs: STALE_WAIT_MS,
    accountId: tools.caller.accountId,
    load: () => readFirst(tools, sources, isSuitable),
    isDoubtful: ({ isDoubtful = false }) => isDoubtful,
  })

/** `key`: of things that exist, because each takes a row in the database. */
type CachedSources<Value> = {
  key: string
  freshMs: number
  sources: readonly SportsSource<Value>[]
  isSuitable?: (value: Value) => boolean
}
