import { binaryConditionOf, comboConditionOf, structuredPositionId } from '../contracts/structured-ids.js'
import type { Act } from './acts.js'
import { makeToken } from './event-builder.js'
import type { Fair } from './fair.js'
import type { Floor } from './floor.js'
import type { Combo, Market, Outcome } from './market.js'
import type { Rng } from './random.js'

const LEGS_MAX = 4
/** The combo is settled some time after the last result that it needs. */
const SETTLE_MS = 40_000

/** The structured twin of a market that stands alone. */
export const migratedMarket = (market: Market, fair: Fair, atMs: number): Combo =>
  buildCombo([makeLeg(market, 0)], fair, atMs)

/** The combo that begins with the act, if one does. */
export function comboBegunBy(act: Act): Combo | undefined {
  if (act.kind === 'prepareCombo') return act.combo
  return act.kind === 'migrate' && act.isFirst ? act.combo : undefined
}

/** A new combo of two to four open markets; `undefined` when the draw gave too few different ones. */
export function drawCombo(rng: Rng, floor: Floor, fair: Fair, atMs: number): Combo | undefined {
  const wanted = 2 + rng.below(LEGS_MAX - 1)
  const markets = new Set<Market>()
  for (let draws = 0; draws < wanted * 3 && markets.size < wanted; draws++) {
    const market = rng.chance(0.5) ? floor.drawWindow(rng, atMs) : floor.drawTopic(rng, atMs)
    // Of exclusive questions no two may be in one combo; leaving them out is simplest.
    if (market !== undefined && market.event.negRisk === undefined) markets.add(market)
  }
  if (markets.size < 2) return undefined
  const legs = [...markets].map((market) => makeLeg(market, rng.chance(0.6) ? 0 : 1))
  legs.sort((a, b) => (a.positionId < b.positionId ? -1 : 1))
  return buildCombo(legs, fair, atMs)
}

function makeLeg(market: Market, outcome: Outcome): Combo['legs'][number] {
  const positionId = structuredPositionId(binaryConditionOf(market.conditionId), outcome)
  return { market, outcome, positionId }
}

function buildCombo(legs: Combo['legs'], fair: Fair, createdMs: number): Combo {
  const [first, ...others] = legs
  const conditionId =
    first !== undefined && others.length === 0
      ? binaryConditionOf(first.market.conditionId)
      : comboConditionOf(legs.map(({ positionId }) => positionId))
  const combo: Omit<Combo, 'tokens'> = {
    kind: 'combo',
    id: conditionId,
    question: legs.map(({ market, outcome }) => `${market.question} ${market.outcomes[outcome]}`).join(' + '),
    conditionId,
    legs,
    createdMs,
    resolvesMs: decidedMs(legs, fair) + SETTLE_MS,
  }
  return Object.assign(combo, {
    tokens: [
      makeToken(combo as Combo, 0, structuredPositionId(conditionId, 0)),
      makeToken(combo as Combo, 1, structuredPositionId(conditionId, 1)),
    ] as const,
  })
}

/** One lost leg decides it; otherwise the last leg does. */
function decidedMs(legs: Combo['legs'], fair: Fair): number {
  const lost = legs.filter(({ market, outcome }) => fair.truth(market)[outcome] === 0)
  const times = (lost.length > 0 ? lost : legs).map(({ market }) => market.resolvesMs)
  return lost.length > 0 ? Math.min(...times) : Math.max(...times)
}
