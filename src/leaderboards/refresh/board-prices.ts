import { seqOf } from '../../core/seq.js'
import type { Fragment, Sql } from '../../store/connection.js'
import type { BoardStep } from './step.js'

/** Prices that are no results are compared this often. */
const PRICES_MS = 5 * 60_000
/**
 * A look goes on with the next refresh when this many tokens have got another price, or tokens with this many
 * open positions: each of these is computed again, and a refresh should stay short.
 */
const LOOK = { tokensMax: 5_000, positionsMax: 50_000 }

/**
 * Brings the prices of `board_tokens` up to date; returns the tokens whose price is another one. All positions
 * of a token are valued at the same price, which may be minutes old; results count at once.
 */
export async function updateBoardPrices(step: BoardStep, look = LOOK): Promise<number[]> {
  const { tx, isRebuild, nowMs } = step
  if (isRebuild) {
    await tx`${setPrices(tx, tx`select token from board_tokens`)}`
    await tx`update board_state set priced_at = ${new Date(nowMs)}, priced_token = null`
    return []
  }
  const decided = await tx<{ token: number }[]>`
    ${setPrices(tx, decidedTokens(step))} returning b.token`
  return [...decided.map(({ token }) => token), ...(await lookAtPrices(step, look))]
}

/**
 * Tokens without a price so far, of new results, and those that a reorganisation took a result from or may have given
 * the id of another token. Indexes: board_tokens_pkey, resolutions_pkey, tokens_condition,
 * board_tokens_settled.
 */
const decidedTokens = ({ tx, heldBlock }: BoardStep): Fragment => tx`
  select b.token
    from (select distinct token from changed_positions) c
    join board_tokens b on b.token = c.token and b.denominator is null
  union
  select token from rewound_positions
  union
  select t.id
    from resolutions r
    join tokens t on t.condition = r.condition
   where r.seq >= ${seqOf(heldBlock + 1, 0)}
  union
  select token from board_tokens where settled >= ${seqOf(heldBlock + 1, 0)}`

/** Compares the prices of all tokens without a result, in the order of their ids. Index: board_tokens_unsettled. */
async function lookAtPrices({ tx, nowMs }: BoardStep, look: typeof LOOK): Promise<number[]> {
  const { tokensMax, positionsMax } = look
  const [state] = await tx<{ pricedAt: Date | null; pricedToken: number | null }[]>`
    select priced_at, priced_token from board_state`
  const { pricedAt = null, pricedToken = null } = state ?? {}
  // The clock may have been set back since.
  const isDue = pricedAt === null || Math.abs(nowMs - pricedAt.getTime()) >= PRICES_MS
  if (!isDue && pricedToken === null) return []
  const changed = await selectOtherPrices(tx, pricedToken ?? 0, tokensMax)
  const tokens = changed.filter(({ before }) => before < positionsMax).map(({ token }) => token)
  await tx`${setPrices(tx, tx`select unnest(${tokens}::integer[])`)}`
  const isDone = tokens.length === changed.length && changed.length < tokensMax
  await tx`
    update board_state
       set priced_at = ${isDone ? new Date(nowMs) : pricedAt},
           priced_token = ${isDone ? null : (tokens.at(-1) ?? null)}`
  return tokens
}

/** `before`: open positions of the tokens before this one. */
const selectOtherPrices = (tx: Sql, afterToken: number, limit: number) => tx<
  { token: number; before: number }[]
>`
  select token, (sum(open) over (order by token) - open)::float8 as before
    from (select t.token,
                 (select count(*) from board_positions p where p.token = t.token and p.is_open) as open
            from (select t.token
                    from board_tokens t
                   cross join lateral (${priceOf(tx)}) price
                   where t.token > ${afterToken} and t.settled is null and t.scopes <> '{}'
                     and (t.numerator, t.denominator)
                         is distinct from (price.numerator, price.denominator)
                   order by t.token
                   limit ${limit}) t) counted
   order by token`

/** Gives these tokens the prices of now, where the boards have others. */
const setPrices = (sql: Sql, tokens: Fragment): Fragment => sql`
  update board_tokens b
     set numerator = price.numerator, denominator = price.denominator, settled = price.settled
    from (select t.token, p.*
            from (${tokens}) t (token)
           cross join lateral (${priceOf(sql)}) p) price
   where b.token = price.token and b.scopes <> '{}'
     and (b.numerator, b.denominator, b.settled)
         is distinct from (price.numerator, price.denominator, price.settled)`

/** Of the token `t`. Index: primary keys alone, which `offset 0` has the planner take. */
const priceOf = (sql: Sql): Fragment => sql`
  select numerator, denominator, case source when 'settlement' then seq end as settled
    from token_prices
   where token = t.token
  offset 0`
