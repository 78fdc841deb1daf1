import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import { NEG_RISK_ADAPTER, roleOf } from '../chain/attribute/roles.js'
import type { OracleFact, ResolutionFact } from '../chain/attribute/tape.js'
import { keccak256 } from '../lib/keccak.js'
import { START, uintToWord } from '../upstreams/polygon/abi.js'
import { CONTRACTS } from '../upstreams/polygon/contracts.js'
import { enrichCondition, type MarketFields } from './enrichment.js'
import { toKeys } from './keys.js'
import { logFields } from './log-fields.js'
import { readResolution } from './resolution.js'
import { toConditionId } from './structured-id.js'

/** `undefined`: a step that is not told, because the next one says the same. */
export function oracleEvent(fact: OracleFact, markets: MarketLookup): EventDraft | undefined {
  const type = TYPES[fact.kind]
  // What the neg-risk operator reports is told by the condition that it resolves.
  const isReport = isOperator(fact) && fact.payouts !== undefined
  if (type === undefined || isReport) return undefined
  const adapter = adapterOf(fact)
  const condition = conditionOf(fact)
  const market = condition === undefined ? undefined : enrichCondition(markets, condition)
  return {
    type: 'oracle',
    timestampMs: fact.timeSec * 1000,
    data: {
      event_type: 'oracle',
      ...logFields(fact),
      oracle_type: type,
      question_id: questionIdOf(fact, adapter),
      adapter_address: adapter,
      ...stepFields(fact, market),
      ...market,
    },
    keys: toKeys({
      wallets: [fact.actor, fact.proposer].flatMap((wallet) => wallet ?? []),
      tokens: market?.token_ids,
      market,
    }),
  }
}

/** The tokens can be redeemed. `asked` is the step of the same transaction that brought the result. */
export function resolutionEvent(
  resolution: ResolutionFact,
  asked: OracleFact | undefined,
  markets: MarketLookup,
): EventDraft {
  const market = enrichCondition(markets, resolution.condition)
  const conditionId = toConditionId(resolution.condition)
  return {
    type: 'oracle',
    timestampMs: resolution.timeSec * 1000,
    data: {
      event_type: 'oracle',
      ...logFields(resolution),
      oracle_type: 'condition_resolution',
      question_id: asked?.question,
      adapter_address: asked?.contract,
      ...resultFields(resolution.payouts, market),
      condition_id: conditionId,
      ...market,
    },
    keys: toKeys({ tokens: market?.token_ids, market, conditionId }),
  }
}

/**
 * The condition that the step is about; all of them have two outcomes. `undefined`: not to be told,
 * as for neg-risk questions before the operator reports them under their other id.
 */
export function conditionOf(fact: OracleFact): string | undefined {
  const reporter = isOperator(fact) ? NEG_RISK_ADAPTER : adapterOf(fact)
  if (fact.question === undefined || reporter === undefined) return undefined
  if (NEG_RISK_ASKERS.has(reporter)) return undefined
  return keccak256(`${reporter}${fact.question.slice(START)}${TWO_OUTCOMES}`)
}

const TWO_OUTCOMES = uintToWord(2n).slice(START)

const NEG_RISK_ASKERS: ReadonlySet<string> = new Set(
  CONTRACTS.filter(({ role, negRisk }) => role === 'umaAdapter' && negRisk).map(
    ({ address }) => address,
  ),
)

const TYPES: Readonly<Record<OracleFact['kind'], string | undefined>> = {
  initialized: 'initialization',
  requested: undefined,
  proposed: 'proposal',
  disputed: 'dispute',
  settled: 'settled',
  resolved: 'resolution',
  manually_resolved: 'manual_resolution',
  emergency_resolved: 'manual_resolution',
  reset: 'reset',
  flagged: 'flag',
  unflagged: 'unflag',
  paused: 'pause',
  unpaused: 'unpause',
  reported: undefined,
}

/** `undefined`: told by the oracle, which did not say who had asked. */
function adapterOf({ contract, requester }: OracleFact): string | undefined {
  return requester ?? (roleOf(contract) === 'optimisticOracle' ? undefined : contract)
}

/** The oracle knows a question by who asked and when. */
function questionIdOf(fact: OracleFact, adapter: string | undefined): string | undefined {
  const { contract, question, requestTimeSec } = fact
  if (roleOf(contract) !== 'optimisticOracle' || adapter === undefined) return question
  return requestTimeSec === undefined ? question : `oo_v2:${adapter}:${requestTimeSec}`
}

const isOperator = ({ contract }: OracleFact): boolean => roleOf(contract) === 'negRiskOperator'

function stepFields(fact: OracleFact, market: MarketFields | undefined) {
  const { kind, actor, proposer, price, expirationSec, payouts } = fact
  switch (kind) {
    case 'proposed':
      return {
        proposer: proposer ?? actor,
        proposed_price: toOraclePrice(price),
        expiration_timestamp: expirationSec === undefined ? undefined : expirationSec * 1000,
      }
    case 'disputed':
      return { disputer: actor, proposer, proposed_price: toOraclePrice(price) }
    case 'settled':
      return { resolved_price: toOraclePrice(price), proposer }
    case 'resolved':
    case 'manually_resolved':
    case 'emergency_resolved':
      return payouts === undefined
        ? { resolved_price: toOraclePrice(price) }
        : resultFields(payouts, market)
    default:
      return undefined
  }
}

function resultFields(payouts: readonly bigint[], market: MarketFields | undefined) {
  const { payouts: numerators, prices, winner } = readResolution(payouts)
  return {
    resolved_price: prices[0],
    payouts: numerators,
    resolved_outcome: winner === undefined ? 'Split' : market?.outcomes[winner],
  }
}

/** The first outcome's price. Below zero is the oracle's way to say that it cannot be known. */
const toOraclePrice = (price: bigint | undefined): number | undefined =>
  price === undefined || price < 0n ? undefined : Number(price) / 1e18
