import { selectTokenPrices, type TokenPriceSource } from '../../catalogue/token-prices.js'
import { parseTokenId } from '../../core/ids.js'
import { blockOf } from '../../core/seq.js'
import { hexToBytes } from '../../lib/hex.js'
import type { SharePrice } from '../../lookups/position.js'
import type { Sql } from '../../store/connection.js'
import { hex } from '../../store/sql-words.js'
import { type ListedMarket, selectListedMarkets } from '../listing/queries.js'

/** What the chain or the catalogue has of a token; bytes are hex text. */
type TokenHead = {
  id: number | null
  market: number | null
  condition: string | null
  outcome: number | null
  isResolved: boolean
}

export type PricedToken = Omit<TokenHead, 'id' | 'market'> & {
  token: string
  price: SharePrice
  /** null: there is no price yet. */
  source: TokenPriceSource | null
  /** When the fact was booked, or the midpoint read, that the price comes from. */
  pricedAtMs: number | null
  market: ListedMarket | undefined
}

const NO_PRICE = {
  numerator: 0n,
  denominator: 1n,
  source: undefined,
  seq: undefined,
  readAtMs: undefined,
}

/** `undefined`: neither the chain nor the catalogue has the token. Indexes: tokens_token_key, market_tokens_pkey. */
export async function selectPricedToken(sql: Sql, tokenId: string): Promise<PricedToken | undefined> {
  const token = parseTokenId(tokenId)
  const head = token === undefined ? undefined : await selectTokenHead(sql, hexToBytes(token))
  if (token === undefined || head === undefined) return undefined
  const prices = await selectTokenPrices(sql, head.id === null ? [] : [head.id])
  const { source, seq, readAtMs, ...price } = prices.get(head.id ?? -1) ?? NO_PRICE
  const [market] = await selectListedMarkets(sql, head.market === null ? [] : [{ id: head.market }])
  return {
    ...head,
    token,
    price,
    source: source ?? null,
    pricedAtMs: readAtMs ?? (seq === undefined ? null : await selectTimeMs(sql, Number(seq))),
    market,
  }
}

async function selectTokenHead(sql: Sql, token: Uint8Array): Promise<TokenHead | undefined> {
  const [row] = await sql<TokenHead[]>`
    select t.id, mt.market, coalesce(mt.outcome, t.outcome) as outcome,
           ${hex(sql, 'coalesce(m.condition, stated.condition)')} as condition,
           exists (
             select from conditions c join resolutions r on r.condition = c.id
              where c.condition = coalesce(m.condition, stated.condition)
           ) as is_resolved
      from (select ${token}::bytea as token) asked
      left join tokens t on t.token = asked.token
      left join conditions stated on stated.id = t.condition
      left join market_tokens mt on mt.token = asked.token
      left join markets m on m.id = mt.market
     where t.id is not null or mt.market is not null`
  return row
}

/** Index: blocks_pkey. */
async function selectTimeMs(sql: Sql, seq: number): Promise<number | null> {
  const [row] = await sql<{ time: number }[]>`
    select time from blocks where number = ${blockOf(seq)}`
  return row === undefined ? null : row.time * 1000
}
