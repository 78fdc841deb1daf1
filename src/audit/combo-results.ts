import type { Sql } from '../store/connection.js'
import type { IdRange } from './span.js'

/** In millionths. */
type ComboResult = { condition: number; yes: number; no: number }

type Leg = { condition: number; payout: string | null; whole: string | null }

/** Modules pay in millionths. */
const WHOLE = 1_000_000n

/**
 * What the redeemed combos pay. They have no result of their own: YES pays the product of what its
 * legs pay, rounded down at each leg, NO the rest, and one lost leg decides before all are known.
 */
export async function selectComboResults(sql: Sql, { from, to }: IdRange): Promise<ComboResult[]> {
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
