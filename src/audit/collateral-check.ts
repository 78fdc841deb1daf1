import { ZERO_WALLET } from '../ledger/entry.js'
import type { Sql } from '../store/connection.js'
import { rowsAs } from '../store/sql-words.js'
import { count, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { IdRange, Scope } from './scope.js'

type CollateralRow = {
  conditions: number
  leftOut: number
  differences: number
  condition: number | null
  collateral: string
  first: string
  second: string
  payouts: string | null
  legs: number
}

/**
 * The collateral of a condition is what its shares can claim. A set that is made or merged changes
 * both outcomes and the collateral alike, so all three are equal until the first share is redeemed.
 * A redemption pays each outcome its part of the dollar, rounded down: then collateral * (p + q) is
 * first * p + second * q and what the roundings have left, less than a unit for each redeemed leg and
 * nothing where one outcome gets all. NO shares that conversions have parked are part of the supply
 * like all others. Shares that came by a migration are backed by their old ones, which the module
 * holds: they are subtracted.
 *
 * Left out: conditions with other than two outcomes, or with tokens of a second collateral (both
 * share one reserve, and no log states the outcomes of the second); redeemed ones whose result is not
 * known (older than all that was read, or put into quarantine); what the ledger refused to book; and
 * structured positions that were made in other ways than splits, see `selectUnbacked`.
 */
export async function checkCollateral(sql: Sql, scope: Scope, { from, to }: IdRange): Promise<Finding> {
  const excluded = [...scope.refusedTokens, ...(await selectUnbacked(sql, scope, { from, to }))]
  const combos = await selectComboResults(sql, { from, to })
  const rows = await sql<CollateralRow[]>`
    with sets as (
      select condition,
             min(id) filter (where outcome = 0) as first,
             min(id) filter (where outcome = 1) as second
        from tokens
       where condition between ${from} and ${to}
       group by condition
      having count(*) = 2 and count(outcome) = 2 and not bool_or(id = any(${excluded}::integer[]))
    ),
    results as (
      (select distinct on (condition) condition, payouts
         from resolutions
        where condition between ${from} and ${to}
        order by condition, seq desc)
      union all
      select condition, array[yes, no]::numeric[]
        from ${rowsAs(sql, 'combos', combos, { condition: 'integer', yes: 'integer', no: 'integer' })}
    ),
    shares as (
      select token, sum(amount) as amount
        from (select token, minted - burned as amount from supplies
              union all
              select to_token, -amount from migrations
               where seq between ${scope.fromSeq} and ${scope.toSeq}) as changes
       where token in (select first from sets union all select second from sets)
       group by token
    ),
    reserved as (
      select condition,
             coalesce(paid_in - paid_out, 0)::numeric as collateral,
             coalesce(redeemed_legs, 0) as legs,
             coalesce(of_first.amount, 0) as first,
             coalesce(of_second.amount, 0) as second,
             payouts[1] as p,
             payouts[2] as q,
             cardinality(payouts) = 2 and payouts[1] + payouts[2] > 0 as is_known
        from sets
        left join reserves using (condition)
        left join results using (condition)
        left join shares as of_first on of_first.token = sets.first
        left join shares as of_second on of_second.token = sets.second
    ),
    claimed as (
      select *, collateral * (p + q) - first * p - second * q as remainder
        from reserved
       where legs = 0 or is_known
    ),
    different as (
      select *
        from claimed
       where case when legs = 0 then first <> collateral or second <> collateral
                  when p = 0 or q = 0 then remainder <> 0
                  else remainder < 0 or remainder >= legs * (p + q) end
    )
    select (select count(*)::integer from claimed) as conditions,
           (select count(distinct condition)::integer from tokens
             where condition between ${from} and ${to})
             - (select count(*)::integer from claimed) as left_out,
           (select count(*)::integer from different) as differences,
           examples.*
      from (select) as always
      left join (select condition, collateral::text, first::text, second::text, legs,
                        p || ' to ' || q as payouts
                   from different
                  order by condition
                  limit ${EXAMPLES_MAX}) as examples on true`
  return toFinding(sql, rows)
}

async function toFinding(sql: Sql, rows: readonly CollateralRow[]): Promise<Finding> {
  const tally = new Tally()
  for (const row of rows) {
    if (row.condition === null) continue
    const { collateral, first, second, payouts, legs } = row
    const result = legs === 0 ? 'none redeemed' : `${count(legs, 'leg')} redeemed at payouts of ${payouts}`
    const what = `${collateral} of collateral for ${first} and ${second} shares, ${result}`
    tally.add({ keys: { condition: row.condition }, what })
  }
  const [{ conditions, leftOut, differences } = { conditions: 0, leftOut: 0, differences: 0 }] = rows
  const coverage = `${count(conditions, 'condition')}${leftOut === 0 ? '' : `, ${leftOut} left out`}`
  return { ...(await tally.toFinding(sql, 'collateral of claims', coverage)), differences }
}

/** In millionths. */
type ComboResult = { condition: number; yes: number; no: number }

type Leg = { condition: number; payout: string | null; whole: string | null }

/** Modules pay in millionths. */
const WHOLE = 1_000_000n

/**
 * What the redeemed combos pay. They have no result of their own: YES pays the product of what its
 * legs pay, rounded down at each leg, NO the rest, and one lost leg decides before all are known.
 */
async function selectComboResults(sql: Sql, { from, to }: IdRange): Promise<ComboResult[]> {
  const legs = await sql<Leg[]>`
    select combos.condition,
           result.payouts[get_byte(leg, 31) + 1]::text as payout,
           (select sum(payout) from unnest(result.payouts) as payout)::text as whole
      from combos
      join reserves on reserves.condition = combos.condition and redeemed_legs > 0
     cross join lateral (
       select number, substr(legs, number * 32 + 1, 32) as leg
         from generate_series(0, length(legs) / 32 - 1) as number
     ) as each
      left join conditions on conditions.condition = substr(leg, 1, 31) || '\\x00'
      left join lateral (
        select payouts from resolutions
         where resolutions.condition = conditions.id
         order by seq desc
         limit 1
      ) as result on true
     where combos.condition between ${from} and ${to}
       and not exists (select from resolutions where resolutions.condition = combos.condition)
     order by combos.condition, number`
  const results: ComboResult[] = []
  for (const [condition, payouts] of groupLegs(legs)) {
    const yes = productOf(payouts)
    if (yes !== undefined) {
      results.push({ condition, yes: Number(yes), no: Number(WHOLE - yes) })
    }
  }
  return results
}

/** The payouts of each combo's legs, in their order; `undefined`: not decided. */
function groupLegs(legs: readonly Leg[]): Map<number, (bigint | undefined)[]> {
  const combos = new Map<number, (bigint | undefined)[]>()
  for (const { condition, payout, whole } of legs) {
    const payouts = combos.get(condition) ?? []
    combos.set(condition, payouts)
    const isKnown = payout !== null && whole !== null && whole !== '0'
    payouts.push(isKnown ? (BigInt(payout) * WHOLE) / BigInt(whole) : undefined)
  }
  return combos
}

function productOf(payouts: readonly (bigint | undefined)[]): bigint | undefined {
  let product = WHOLE
  for (const payout of payouts) if (payout !== undefined) product = (product * payout) / WHOLE
  return product > 0n && payouts.includes(undefined) ? undefined : product
}

/**
 * Structured positions of these conditions that came into being, or went, other than by splits, merges, redemptions and
 * migrations: modules turn positions into others (wrap, extract, compress, convert), and the logs do
 * not say which collateral goes along. Transfers from and to the zero address show it. Where the retention
 * has dropped such transfers, older positions are all taken for unbacked.
 */
async function selectUnbacked(sql: Sql, scope: Scope, { from, to }: IdRange): Promise<number[]> {
  const { fromSeq, toSeq, isWhole, keptSeq } = scope
  const rows = await sql<{ id: number }[]>`
    with made as (
      select token, sum(amount) as amount
        from (select token, amount from transfers
               where from_wallet = ${ZERO_WALLET} and seq between ${fromSeq} and ${toSeq}
              union all
              select token, -amount from transfers
               where to_wallet = ${ZERO_WALLET} and seq between ${fromSeq} and ${toSeq}
              union all
              select to_token, -amount from migrations
               where seq between ${fromSeq} and ${toSeq}) as changes
       group by token
    )
    select id
      from tokens
      left join made on made.token = tokens.id
     where condition between ${from} and ${to} and ${isStructured(sql)}
       and (made.amount <> 0 ${isWhole ? sql`` : sql`or since < ${keptSeq}`})`
  return rows.map(({ id }) => id)
}

/** Module in the first byte, and eight bytes that are not used; ids of the old kind are hashes. */
const isStructured = (sql: Sql) => sql`
  get_byte(tokens.token, 0) between 1 and 4
  and substr(tokens.token, 20, 8) = '\\x0000000000000000'`
