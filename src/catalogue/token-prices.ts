import { toTokenId } from '../core/ids.js'
import { parseMillionths } from '../core/money.js'
import { bisect } from '../lib/bisect.js'
import type { Sql } from '../store/connection.js'
import { fromHex, hex, rowsAs } from '../store/sql-words.js'
import type { CatalogueDeps } from './deps.js'
import { isUnreadable } from './lookup.js'

export type TokenPriceSource = 'settlement' | 'clob_mid' | 'v1_condition' | 'last_fill'

/** `source` null: there is no price yet. Whole numbers arrive as text. */
type TokenPriceRow = {
  token: number
  source: TokenPriceSource | null
  numerator: string
  denominator: string
  seq: bigint | null
  readAt: Date | null
}

/** Prices by the integer ids of tokens; tokens that the database does not have are absent. */
export async function selectTokenPrices(sql: Sql, tokens: readonly number[]) {
  const rows = await sql<TokenPriceRow[]>`
    select token, source, numerator::text, denominator::text, seq, read_at
      from token_prices
     where token = any(${[...tokens]}::int[])`
  const toPrice = ({ numerator, denominator, source, seq, readAt }: TokenPriceRow) => ({
    /** Exact: dollars a share are `numerator / denominator`. */
    numerator: BigInt(numerator),
    denominator: BigInt(denominator),
    /** `undefined`: there is no price yet, and the token counts as worth 0. */
    source: source ?? undefined,
    /** Of the resolution or the fill that the price comes from. */
    seq: seq ?? undefined,
    /** When the midpoint was read. */
    readAtMs: readAt?.getTime(),
  })
  return new Map(rows.map((row) => [row.token, toPrice(row)]))
}

/** At this period each midpoint is read again before it is five minutes old. */
export const MIDPOINTS_MS = 60_000
const STALE_MS = 4 * 60_000
const TOKENS_PER_CALL = 500
const FORGET_MS = 24 * 60 * 60_000

/** Reads the midpoints that are due. A token that the CLOB does not answer for keeps its last value. */
export async function refreshMidpoints(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps
  const tokens = await selectStaleMids(store.sql, clock.now() - STALE_MS, 30_000)
  for (let at = 0; at < tokens.length; at += TOKENS_PER_CALL)
    await readMids(deps, tokens.slice(at, at + TOKENS_PER_CALL), signal)
  await deleteMids(store.sql, clock.now() - FORGET_MS)
}

async function readMids(
  { clob, store, clock, metrics, floodLog }: CatalogueDeps,
  tokens: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const found = await bisect(tokens.map(toTokenId), (ids) => clob.getMidpoints(ids, { signal }), {
    isRefusal: isUnreadable,
    onRefused: (token, err) => floodLog.write('warn', 'a midpoint cannot be read', () => ({ err, token })),
  })
  const mids = new Map(found.flatMap((byToken) => [...byToken]))
  const rows = tokens.map((token) => ({ token, mid: toMillionths(mids.get(toTokenId(token))) }))
  await upsertMids(store.sql, rows, clock.now())
  const withBook = rows.filter(({ mid }) => mid !== null).length
  metrics.mids.inc({ result: 'found' }, withBook)
  metrics.mids.inc({ result: 'none' }, rows.length - withBook)
}

const ONE = 1_000_000

/** Parses a decimal between 0 and 1; null for anything else. Digits beyond the sixth are cut off. */
export function toMillionths(decimal: string | undefined): number | null {
  if (decimal === undefined) return null
  const millionths = Number(parseMillionths(decimal))
  return millionths <= ONE ? millionths : null
}

/**
 * Tokens with a supply, of open markets without a result, whose midpoint is older than that: the
 * oldest first, those without any before all others. Index: markets_open, then keys alone.
 */
async function selectStaleMids(sql: Sql, beforeMs: number, limit: number): Promise<string[]> {
  const rows = await sql<{ token: string }[]>`
    select ${hex(sql, 't.token')} as token
      from markets m
      cross join unnest(m.tokens) as listed (token)
      join tokens t on t.token = listed.token
      join supplies s on s.token = t.id
      left join token_mids book on book.token = t.token
     where not m.closed
       and s.minted > s.burned
       and (book.token is null or book.read_at < ${new Date(beforeMs)})
       and not exists (select from resolutions r where r.condition = t.condition)
     order by book.read_at nulls first, t.id
     limit ${limit}`
  // Two markets of the catalogue may list the same token.
  return [...new Set(rows.map(({ token }) => token))]
}

/** `mids` by token, in millionths; null for tokens without a book. */
export async function upsertMids(
  sql: Sql,
  mids: readonly { token: string; mid: number | null }[],
  nowMs: number,
): Promise<void> {
  await sql`
    insert into token_mids (token, mid, read_at)
    select ${fromHex(sql, 'given.token')}, given.mid, ${new Date(nowMs)}
      from ${rowsAs(sql, 'given', mids, { token: 'text', mid: 'int' })}
     order by 1
    on conflict (token) do update set mid = excluded.mid, read_at = excluded.read_at`
}

/** Deletes midpoints that are not refreshed any more, because their markets are closed. */
async function deleteMids(sql: Sql, beforeMs: number): Promise<void> {
  await sql`
    delete from token_mids book
     where book.read_at < ${new Date(beforeMs)}
       and exists (
         select from market_tokens mt join markets m on m.id = mt.market
          where mt.token = book.token and m.closed
       )`
}
