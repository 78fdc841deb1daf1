import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import { NEG_RISK_ADAPTER, roleOf } from '../chain/attribute/roles.js'
import type { OracleFact } from '../chain/facts/oracle-event.js'
import type { ResolutionFact } from '../chain/facts/resolution.js'
import { toConditionId } from '../core/structured-id.js'
import { keccak256 } from '../lib/keccak.js'
import { START, uintToWord } from '../upstreams/polygon/abi.js'
import { CONTRACTS } from '../upstreams/polygon/contracts.js'
import type { MessageFamily } from './block-facts.js'
import { type Enricher, toResult } from './enrichment.js'
import { defineLogMessage, MARKET, type MarketFields, optional, Wire } from './message.js'

const oracle = defineLogMessage('oracle', {
  oracle_type: Wire.Text,
  ...optional({
    question_id: Wire.Text,
    adapter_address: Wire.Address,
    proposer: Wire.Address,
    disputer: Wire.Address,
    proposed_price: Wire.Price,
    expiration_timestamp: Wire.Ms,
    resolved_price: Wire.Price,
    payouts: Type.Array(Wire.Count),
    resolved_outcome: Wire.Text,
    ...MARKET,
  }),
})

/** Steps of UMA's oracle about the question of a market, and the resolution of its condition. */
export const oracleFamily = {
  messages: [oracle],
  *fromBlock({ oracle: steps, resolutions }, enricher) {
    for (const fact of steps) yield { seq: fact.seq, event: stepEvent(fact, enricher) }
    for (const fact of resolutions) {
      const isCause = (step: OracleFact) =>
        step.txHash === fact.txHash && conditionOf(step) === fact.condition
      yield { seq: fact.seq, event: resolutionEvent(fact, steps.find(isCause), enricher) }
    }
  },
} as const satisfies MessageFamily

/** `undefined`: not published, because the next step says the same. */
function stepEvent(fact: OracleFact, enricher: Enricher): EventDraft | undefined {
  const type = TYPES[fact.kind]
  // A report of the neg-risk operator is published as the resolution of its condition.
  const isReport = isOperator(fact) && fact.payouts !== undefined
  if (type === undefined || isReport) return undefined
  const adapter = adapterOf(fact)
  const condition = conditionOf(fact)
  const market = condition === undefined ? undefined : enricher.market(condition)
  return oracle.draft(
    fact,
    {
      oracle_type: type,
      question_id: questionIdOf(fact, adapter),
      adapter_address: adapter,
      ...presentStep(fact, market),
      ...market,
    },
    {
      wallets: [fact.actor, fact.proposer].flatMap((wallet) => wallet ?? []),
      tokens: market?.token_ids,
      market,
    },
  )
}

/** The tokens can be redeemed. `cause` is the step of the same transaction that brought the result. */
function resolutionEvent(
  fact: ResolutionFact,
  cause: OracleFact | undefined,
  enricher: Enricher,
): EventDraft {
  const market = enricher.market(fact.condition)
  const conditionId = toConditionId(fact.condition)
  return oracle.draft(
    fact,
    {
      oracle_type: 'condition_resolution',
      question_id: cause?.question,
      adapter_address: cause?.contract,
      ...presentResult(fact.payouts, market),
      condition_id: conditionId,
      ...market,
    },
    { tokens: market?.token_ids, market, conditionId },
  )
}

/**
 * The condition of a step, which always has two outcomes. `undefined`: it cannot be derived, as for
 * neg-risk questions before the operator reports them under their other id.
 */
function conditionOf(fact: OracleFact): string | undefined {
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

/** `undefined`: a log of the oracle that does not name its requester. */
function adapterOf({ contract, requester }: OracleFact): string | undefined {
  return requester ?? (roleOf(contract) === 'optimisticOracle' ? undefined : contract)
}

/** The oracle identifies a question by its requester and the time of the request. */
function questionIdOf(fact: OracleFact, adapter: string | undefined): string | undefined {
  const { contract, question, requestTimeSec } = fact
  if (roleOf(contract) !== 'optimisticOracle' || adapter === undefined) return question
  return requestTimeSec === undefined ? question : `oo_v2:${adapter}:${requestTimeSec}`
}

const isOperator = ({ contract }: OracleFact): boolean => roleOf(contract) === 'negRiskOperator'

function presentStep(fact: OracleFact, market: MarketFields | undefined) {
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
        : presentResult(payouts, market)
    default:
      return undefined
  }
}

function presentResult(payouts: readonly bigint[], market: MarketFields | undefined) {
  const { payouts: numerators, prices, winner } = toResult(payouts)
  return {
    resolved_price: prices[0],
    payouts: numerators,
    resolved_outcome: winner === undefined ? 'Split' : market?.outcomes[winner],
  }
}

/** The price of the first outcome. The oracle writes a negative one where there is no answer. */
const toOraclePrice = (price: bigint | undefined): number | undefined =>
  price === undefined || price < 0n ? undefined : Number(price) / 1e18
