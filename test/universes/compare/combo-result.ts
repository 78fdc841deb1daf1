import type { Combo } from '../../../sim/universe/market.js'
import type { Model } from '../model/read-model.js'

/** What a share is paid, as numerator and denominator, and the time of the leg that decided it. */
export type ComboResult = { payout: readonly [bigint, bigint]; timeSec: number }

/** `undefined`: the token is of a market, or of one whose shares have migrated. */
export function comboOf({ tokens }: Model, token: string): Combo | undefined {
  const of = tokens.get(token)?.of
  return of?.kind === 'combo' && of.legs.length > 1 ? of : undefined
}

/** The structured condition of a leg: the position without its last byte. */
export const legConditionOf = ({ positionId }: Combo['legs'][number]): string =>
  `0x${positionId.toString(16).padStart(64, '0').slice(0, 62)}00`

/** Of YES: one leg that lost decides at once, otherwise the last leg does, and the product of all is paid. */
export function comboResultOf({ results }: Model, { legs }: Combo): ComboResult | undefined {
  const decided = legs.flatMap((leg) => {
    const result = results.get(legConditionOf(leg))
    if (result === undefined) return []
    const whole = result.payouts.reduce((sum, part) => sum + part, 0n)
    return [{ paid: result.payouts[leg.outcome] ?? 0n, whole, timeSec: result.timeSec }]
  })
  const lost = decided.filter(({ paid }) => paid === 0n)
  if (lost.length > 0) {
    return { payout: [0n, 1n], timeSec: Math.min(...lost.map(({ timeSec }) => timeSec)) }
  }
  if (decided.length < legs.length) return undefined
  const product = (numbers: readonly bigint[]) => numbers.reduce((all, one) => all * one, 1n)
  return {
    payout: [product(decided.map(({ paid }) => paid)), product(decided.map(({ whole }) => whole))],
    timeSec: Math.max(...decided.map(({ timeSec }) => timeSec)),
  }
}
