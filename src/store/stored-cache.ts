import type { Clock } from '../core/clock.js'
import { messageOf } from '../core/errors.js'
import type { Log } from '../lib/log.js'
import { type AnswerStorage, StaleFallbackCache } from '../lib/stale-fallback-cache.js'
import type { Pool, Sql } from './connection.js'

/** How old an answer may be that stands in for upstreams that do not answer. */
export const STALE_MS_MAX = 12 * 60 * 60_000

type StoredCacheDeps = { store: { readonly sql: Pool }; clock: Clock; log: Log }

/** The cache of upstream answers that outlives the process. */
export function createStoredCache({ store, clock, log }: StoredCacheDeps): StaleFallbackCache {
  const storage: AnswerStorage = {
    select: (key, sinceMs) => selectAnswer(store.sql, key, sinceMs),
    upsert: (key, { body, asOfMs }) =>
      upsertAnswer(store.sql, key, body, asOfMs).catch((error) =>
        log.debug({ reason: messageOf(error) }, 'copy of an upstream not stored'),
      ),
  }
  const limits = { maxSize: 64 * 1024 * 1024 }
  // Clients give up after ten seconds, and a reply may need several answers.
  const waits = { restMs: 1_000, waitMs: 2_500 }
  return new StaleFallbackCache({ clock, limits, staleMsMax: STALE_MS_MAX, ...waits, storage })
}

async function selectAnswer(sql: Sql, key: string, sinceMs: number) {
  const [row] = await sql<{ body: string; asOfMs: number }[]>`
    select body, (extract(epoch from as_of) * 1000)::float8 as as_of_ms
      from upstream_copies where key = ${key} and as_of >= ${new Date(sinceMs)}`
  return row
}

const upsertAnswer = async (sql: Sql, key: string, body: string, asOfMs: number) => sql`
  insert into upstream_copies (key, body, as_of) values (${key}, ${body}, ${new Date(asOfMs)})
  on conflict (key) do update set body = excluded.body, as_of = excluded.as_of
   where upstream_copies.as_of < excluded.as_of`

/** Deletes those that no request may see any more. */
export const deleteExpiredAnswers = (sql: Sql, nowMs: number) => sql`
  delete from upstream_copies where as_of < ${new Date(nowMs - STALE_MS_MAX)}`
