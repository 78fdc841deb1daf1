import { conditionOfPosition, outcomeOfPosition } from '../../core/structured-id.js'
import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { TimedOrigin } from '../facts/fact-kind.js'
import { AttributionError, checkAmount } from '../facts/quarantine.js'
import type { RedemptionFact } from '../facts/redemption.js'
import type { Attribution } from './attribution.js'
import { COLLATERALS, isAutoRedeemer, isModule, NEG_RISK_ADAPTER, ZERO_ADDRESS } from './roles.js'
import { outcomeOf } from './splits.js'
import type { CurrentTransaction } from './transaction.js'

/** The event of the conditional tokens has only the payout; the amounts are those burned just before. */
export function attributeCtfRedemption(
  attribution: Attribution,
  eventIndex: number,
  event: DecodedEventOf<'ctfRedemption'>,
): void {
  const { tx } = attribution
  const { redeemer, conditionId } = event
  const isOurs = COLLATERALS.has(event.collateralToken) && event.parentCollectionId === ZERO_WORD
  if (!isOurs || event.indexSets.some((set) => outcomeOf(set) === Number.POSITIVE_INFINITY)) {
    attribution.keepRawAt(eventIndex)
    return
  }
  const { tokens, amounts } = findBurned(tx, eventIndex, event)
  checkPayout(amounts, event.payout)
  const leg = redeemer === NEG_RISK_ADAPTER ? findNegRisk(tx, eventIndex, conditionId) : undefined
  const caller = leg?.redeemer ?? redeemer
  const giver = tx.originalGiver(caller, tokens[0] ?? leg?.token ?? '', eventIndex)
  const named = isAutoRedeemer(caller) ? findNamed(tx, eventIndex, conditionId) : []
  const wallet = holderOf(caller, giver, named)
  tx.redeemed.push({ wallet, condition: conditionId, tokens })
  for (const [index, token] of tokens.entries()) tx.explain(wallet, ZERO_ADDRESS, token, amounts[index] ?? 0n)
  push(attribution, eventIndex, {
    wallet,
    condition: conditionId,
    tokens,
    amounts,
    payout: event.payout,
    outcomes: bitsOf(event.indexSets.map(outcomeOf)),
    isCore: true,
    isUser:
      redeemer !== NEG_RISK_ADAPTER &&
      named.length === 0 &&
      event.indexSets.every((set) => outcomeOf(set) < 2) &&
      attribution.isUser(wallet),
    source: isAutoRedeemer(caller) ? 'auto_redeemer' : 'direct',
  })
}

/** The event of the neg-risk adapter names the wallet, or the intermediary that called it. */
export function attributeNegRiskRedemption(
  attribution: Attribution,
  eventIndex: number,
  event: DecodedEventOf<'negRiskRedemption'>,
): void {
  const { tx } = attribution
  const { redeemer, conditionId, payout } = event
  if (isAutoRedeemer(redeemer) && findNamed(tx, eventIndex, conditionId).length > 0) return
  const ids = findHandedOver(tx, eventIndex, event)
  const redeemed = keepPositive(ids, event.amounts)
  const wallet = tx.originalGiver(redeemer, redeemed.tokens[0] ?? ids[0] ?? '', eventIndex)
  if (!attribution.isUser(wallet)) return
  push(attribution, eventIndex, {
    wallet,
    condition: conditionId,
    ...redeemed,
    payout,
    outcomes: BOTH,
    isCore: false,
    isUser: true,
    source: isAutoRedeemer(redeemer) ? 'auto_redeemer' : 'direct',
  })
}

/** The AutoRedeemer names each wallet that it redeemed for, and which gave it the tokens before. */
export function attributeAutoRedemption(
  attribution: Attribution,
  eventIndex: number,
  event: AutoRedemption,
): void {
  const { tx } = attribution
  const isStructured = event.kind === 'autoRedemption'
  const condition = isStructured ? conditionOfPosition(event.positionId) : event.conditionId
  const tokens: string[] = []
  const amounts: bigint[] = []
  for (const move of tx.moves) {
    if (move.eventIndex >= eventIndex || move.isClaimed || move.amount === 0n) continue
    if (move.from !== event.from || !isRedeemer(move.to)) continue
    const isRedeemedToken = isStructured
      ? move.token === event.positionId
      : tx.redeemed.some((each) => each.condition === condition && each.tokens.includes(move.token))
    if (!isRedeemedToken) continue
    move.isClaimed = true
    tokens.push(move.token)
    amounts.push(move.amount)
    const isCounted = tx.redeemed.some(
      ({ wallet, tokens }) => wallet === event.from && tokens.includes(move.token),
    )
    if (!isCounted) tx.explainCosted(event.from, move.to, move.token, move.amount)
  }
  push(attribution, eventIndex, {
    wallet: event.from,
    condition,
    tokens,
    amounts,
    payout: event.payout,
    outcomes: isStructured ? bitsOf([outcomeOfPosition(event.positionId)]) : BOTH,
    isCore: false,
    isUser: true,
    source: 'auto_redeemer',
  })
}

/** One position of a structured condition. What a module redeems bears no cost, and is the module's. */
export function attributePositionRedemption(
  attribution: Attribution,
  eventIndex: number,
  event: DecodedEventOf<'positionRedeemed'>,
  giver: string,
): void {
  const { tx } = attribution
  const { initiator, positionId, amount, payout } = event
  checkPayout([amount], payout)
  const condition = conditionOfPosition(positionId)
  const named = isAutoRedeemer(initiator) ? findNamedForPosition(tx, eventIndex, positionId) : []
  const wallet = isModule(initiator) ? initiator : holderOf(initiator, giver, named)
  tx.explain(wallet, ZERO_ADDRESS, positionId, checkAmount(amount))
  tx.redeemed.push({ wallet, condition, tokens: [positionId] })
  push(attribution, eventIndex, {
    wallet,
    condition,
    ...keepPositive([positionId], [amount]),
    payout,
    outcomes: bitsOf([outcomeOfPosition(positionId)]),
    isCore: true,
    isUser: named.length === 0 && attribution.isUser(wallet),
    source: isAutoRedeemer(initiator) ? 'auto_redeemer' : 'direct',
  })
}

/** What redemptions through the neg-risk adapter and by the AutoRedeemer always name. */
const BOTH = 3

/** Only the first two outcomes: wallets of ours redeem no others. */
const bitsOf = (outcomes: readonly number[]): number =>
  outcomes.reduce((bits, outcome) => (outcome < 2 ? bits | (1 << outcome) : bits), 0)

/** Contracts that take the tokens of wallets to redeem them. */
const isRedeemer = (address: string): boolean => isAutoRedeemer(address) || isModule(address)

type AutoRedemption = DecodedEventOf<'autoRedemption' | 'autoBinaryRedemption' | 'autoNegRiskRedemption'>

type TokenAmounts = { tokens: string[]; amounts: bigint[] }

function push(
  { tx, facts }: Attribution,
  eventIndex: number,
  fields: Omit<RedemptionFact, keyof TimedOrigin>,
): void {
  for (const amount of fields.amounts) checkAmount(amount)
  checkAmount(fields.payout)
  const { wallet, condition, tokens, amounts, payout, outcomes, isCore, isUser, source } = fields
  const { timeSec, hash: txHash } = tx
  const seq = tx.seqAt(eventIndex)
  // Field by field: spreads take several times as long, and redemptions come by the thousand.
  facts.redemptions.push({
    seq,
    timeSec,
    txHash,
    wallet,
    condition,
    tokens,
    amounts,
    payout,
    outcomes,
    isCore,
    isUser,
    source,
  })
}

function checkPayout(amounts: readonly bigint[], payout: bigint): void {
  let burned = 0n
  for (const amount of amounts) burned += amount
  if (payout > burned) throw new AttributionError('inconsistent', 'a redemption pays more than was given')
}

/** The tokens that the contract burned from the redeemer, at most one for each index set. */
function findBurned(
  tx: CurrentTransaction,
  eventIndex: number,
  event: DecodedEventOf<'ctfRedemption'>,
): TokenAmounts {
  const tokens: string[] = []
  const amounts: bigint[] = []
  for (let earlier = eventIndex - 1; earlier >= 0; earlier--) {
    if (tx.contracts[earlier]?.role !== 'conditionalTokens') continue
    const burn = tx.events[earlier]
    const isBurn = burn?.kind === 'transferSingle' && burn.to === ZERO_ADDRESS && burn.from === event.redeemer
    if (!isBurn || tokens.length === event.indexSets.length) break
    tokens.unshift(burn.id)
    amounts.unshift(burn.value)
  }
  return keepPositive(tokens, amounts)
}

function keepPositive(ids: readonly string[], values: readonly bigint[]): TokenAmounts {
  const kept: TokenAmounts = { tokens: [], amounts: [] }
  for (const [index, amount] of values.entries()) {
    if (amount === 0n) continue
    kept.tokens.push(ids[index] ?? '')
    kept.amounts.push(amount)
  }
  return kept
}

/** The adapter's event for a redemption of the conditional tokens. */
function findNegRisk(tx: CurrentTransaction, eventIndex: number, condition: string) {
  for (let later = eventIndex + 1; later < tx.events.length; later++) {
    const event = tx.events[later]
    if (event?.kind === 'negRiskRedemption' && event.conditionId === condition)
      return { redeemer: event.redeemer, token: findHandedOver(tx, later, event)[0] }
  }
  return undefined
}

/** The tokens, YES and NO, that the redeemer handed to the neg-risk adapter. */
function findHandedOver(
  tx: CurrentTransaction,
  eventIndex: number,
  { redeemer, amounts }: DecodedEventOf<'negRiskRedemption'>,
): readonly string[] {
  for (let earlier = eventIndex - 1; earlier >= 0; earlier--) {
    const batch = tx.events[earlier]
    if (
      batch?.kind === 'transferBatch' &&
      batch.from === redeemer &&
      batch.to === NEG_RISK_ADAPTER &&
      batch.values.length === amounts.length &&
      batch.values.every((value, index) => value === amounts[index])
    )
      return batch.ids
  }
  throw new AttributionError('inconsistent', 'the tokens of a neg-risk redemption did not move')
}

/** A redemption for other wallets than the giver is the redeemer's: other events have their parts. */
const holderOf = (redeemer: string, giver: string, named: readonly string[]): string =>
  named.every((wallet) => wallet === giver) ? giver : redeemer

/** The wallets that the AutoRedeemer names for a redemption, until it redeems the condition again. */
function findNamed(tx: CurrentTransaction, eventIndex: number, condition: string): string[] {
  const named: string[] = []
  for (let later = eventIndex + 1; later < tx.events.length; later++) {
    const event = tx.events[later]
    if (event?.kind === 'ctfRedemption' && event.conditionId === condition) break
    if (
      (event?.kind === 'autoBinaryRedemption' || event?.kind === 'autoNegRiskRedemption') &&
      event.conditionId === condition
    )
      named.push(event.from)
  }
  return named
}

function findNamedForPosition(tx: CurrentTransaction, eventIndex: number, position: string): string[] {
  const named: string[] = []
  for (let later = eventIndex + 1; later < tx.events.length; later++) {
    const event = tx.events[later]
    if (event?.kind === 'positionRedeemed' && event.positionId === position) break
    if (event?.kind === 'autoRedemption' && event.positionId === position) named.push(event.from)
  }
  return named
}
