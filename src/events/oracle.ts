import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import { NEG_RISK_ADAPTER, roleOf } from '../chain/attribute/roles.js'
import type { OracleFact } from '../chain/facts/oracle-event.js'
import type { ResolutionFact } from '../chain/facts/resolution.js'
import { toDecimal } from '../core/money.js'
import { keccak256 } from '../lib/keccak.js'
import { START, uintToWord } from '../upstreams/polygon/abi.js'
import { CONTRACTS } from '../upstreams/polygon/contracts.js'
import type { MessageFamily } from './block-facts.js'
import { type Enricher, toResult } from './enrichment.js'
import { defineLogMessage, described, ENRICHED, type MarketFields, optional, Wire } from './message.js'

const ORACLE_TYPES = [
  'initialization',
  'proposal',
  'dispute',
  'settled',
  'resolution',
  'condition_resolution',
  'manual_resolution',
  'reset',
  'flag',
  'unflag',
  'pause',
  'unpause',
] as const
type OracleType = (typeof ORACLE_TYPES)[number]

const OraclePrice = Type.Number({ minimum: 0, maximum: 1 })

const oracle = defineLogMessage({
  type: 'oracle',
  summary: 'A step of the resolution of a condition, from the first proposal to the result.',
  examples: {
    'A question was asked': { oracle_type: 'initialization' },
    'An answer was proposed': { oracle_type: 'proposal' },
    'The proposal was disputed': { oracle_type: 'dispute' },
    'The tokens can be redeemed': { oracle_type: 'condition_resolution' },
  },
  isRare: true,
  fields: {
    oracle_type: Type.Enum([...ORACLE_TYPES], { type: 'string' }),
    question_id: Type.String({
      description: 'the form `oo_v2:<adapter>:<time of the request>` on steps of the oracle itself',
    }),
    adapter_address: Type.Union([Wire.Address, Type.Literal('')], {
      description: 'empty where the log does not name it',
    }),
    ...ENRICHED,
    ...optional({
      proposer: Wire.Address,
      disputer: Wire.Address,
      proposed_price: described(OraclePrice, '1: the first outcome, 0: the second, 0.5: a draw'),
      expiration_timestamp: described(Wire.Ms, 'end of the time for disputes, Unix milliseconds'),
      resolved_price: described(OraclePrice, '1: the first outcome, 0: the second, 0.5: a draw'),
      payouts: described(Type.Array(Wire.Count), 'numerators by outcome'),
      payouts_ppm: described(
        Type.Array(Wire.Count, { minItems: 2, maxItems: 2 }),
        'shares of both outcomes in millionths, 1,000,000 together',
      ),
      resolved_outcome: described(Type.String(), '`Split` where both outcomes pay'),
      bond_amount: described(Wire.Amount, 'USD that a proposer puts at stake'),
    }),
  },
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
  const { market, fields } = condition === undefined ? NO_MARKET : enricher.condition(condition)
  const step = presentStep(fact, market)
  return oracle.draft(
    fact,
    {
      oracle_type: type,
      question_id: questionIdOf(fact, adapter) ?? '',
      adapter_address: adapter ?? '',
      ...step,
      ...fields,
    },
    {
      wallets: [step?.proposer, step?.disputer].flatMap((wallet) => wallet ?? []),
      tokens: market?.token_ids,
      market,
      conditionId: fields?.condition_id,
      usd: fact.bond,
    },
  )
}

const NO_MARKET = { market: undefined, fields: undefined }

/** The tokens can be redeemed. `cause` is the step of the same transaction that brought the result. */
function resolutionEvent(
  fact: ResolutionFact,
  cause: OracleFact | undefined,
  enricher: Enricher,
): EventDraft {
  const { market, fields } = enricher.condition(fact.condition)
  return oracle.draft(
    fact,
    {
      oracle_type: 'condition_resolution',
      question_id: cause?.question ?? fact.question ?? '',
      adapter_address: cause?.contract ?? fact.reporter ?? '',
      ...presentResult(fact.payouts, market),
      ...fields,
    },
    { tokens: market?.token_ids, market, conditionId: fields.condition_id },
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
  CONTRACTS.filter(({ role, negRisk }) => role === 'umaAdapter' && negRisk).map(({ address }) => address),
)

const TYPES: Readonly<Record<OracleFact['kind'], OracleType | undefined>> = {
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

/** What a step says beside its question. */
type StepFields = {
  proposer?: string | undefined
  disputer?: string | undefined
  proposed_price?: number | undefined
  expiration_timestamp?: number | undefined
  resolved_price?: number | undefined
  bond_amount?: number | undefined
}

function presentStep(fact: OracleFact, market: MarketFields | undefined): StepFields | undefined {
  const { kind, actor, proposer, price, expirationSec, payouts, bond } = fact
  switch (kind) {
    case 'initialized':
      return { bond_amount: bond === undefined ? undefined : toDecimal(bond) }
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
      return payouts === undefined ? { resolved_price: toOraclePrice(price) } : presentResult(payouts, market)
    default:
      return undefined
  }
}

function presentResult(payouts: readonly bigint[], market: MarketFields | undefined) {
  const { payouts: numerators, ppm, prices, winner } = toResult(payouts)
  return {
    resolved_price: prices[0],
    payouts: numerators,
    payouts_ppm: ppm,
    resolved_outcome: winner === undefined ? 'Split' : market?.outcomes[winner],
  }
}

/** The price of the first outcome. The oracle writes other numbers where there is no answer. */
const toOraclePrice = (price: bigint | undefined): number | undefined =>
  price === undefined || price < 0n || price > ONE ? undefined : Number(price) / 1e18

const ONE = 10n ** 18n
