import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import { outcomeOf } from './partition.js'
import type { Reading } from './reading.js'
import { bookable, Refusal } from './refusal.js'
import { COLLATERALS, isAutoRedeemer, isModule, NEG_RISK_ADAPTER, ZERO_ADDRESS } from './roles.js'
import { conditionOf } from './structured.js'
import type { RedemptionFact } from './tape.js'
import type { Transaction } from './transaction.js'

/** The conditional tokens tell only the payout; what was given is what they burned just before. */
export function bookCtfRedemption(
  reading: Reading,
  place: number,
  fact: DecodedEventOf<'ctfRedemption'>,
): void {
  const { tx } = reading
  const { redeemer, conditionId } = fact
  const isOurs = COLLATERALS.has(fact.collateralToken) && fact.parentCollectionId === ZERO_WORD
  if (!isOurs || fact.indexSets.some((set) => outcomeOf(set) === Number.POSITIVE_INFINITY)) {
    reading.keepRawAt(place)
    return
  }
  const { tokens, amounts } = findBurned(tx, place, fact)
  checkPayout(amounts, fact.payout)
  tx.redeemed.push({ condition: conditionId, tokens, amounts })
  const leg = redeemer === NEG_RISK_ADAPTER ? findNegRisk(tx, place, conditionId) : undefined
  const asker = leg?.redeemer ?? redeemer
  const named = countNamed(tx, place, conditionId)
  // One redemption for several wallets is the redeemer's own; what each gave shows elsewhere.
  const isShared = isAutoRedeemer(asker) && named > 1
  const wallet = isShared ? asker : tx.giverBehind(asker, tokens[0] ?? leg?.token ?? '', place)
  for (const [index, token] of tokens.entries())
    tx.explain(wallet, ZERO_ADDRESS, token, amounts[index] ?? 0n)
  push(reading, place, {
    wallet,
    condition: conditionId,
    tokens,
    amounts,
    payout: fact.payout,
    isCore: true,
    isUser:
      redeemer !== NEG_RISK_ADAPTER &&
      !(isAutoRedeemer(asker) && named > 0) &&
      fact.indexSets.every((set) => outcomeOf(set) < 2) &&
      reading.isUser(wallet),
    source: isAutoRedeemer(asker) ? 'auto_redeemer' : 'direct',
  })
}

/** The neg-risk adapter names the wallet, or the go-between that asked for it. */
export function bookNegRiskRedemption(
  reading: Reading,
  place: number,
  fact: DecodedEventOf<'negRiskRedemption'>,
): void {
  const { tx } = reading
  const { redeemer, conditionId, payout } = fact
  if (isAutoRedeemer(redeemer) && countNamed(tx, place, conditionId) > 0) return
  const ids = findGiven(tx, place, fact)
  const given = keepPositive(ids, fact.amounts)
  const wallet = tx.giverBehind(redeemer, given.tokens[0] ?? ids[0] ?? '', place)
  if (!reading.isUser(wallet)) return
  push(reading, place, {
    wallet,
    condition: conditionId,
    ...given,
    payout,
    isCore: false,
    isUser: true,
    source: isAutoRedeemer(redeemer) ? 'auto_redeemer' : 'direct',
  })
}

/** The AutoRedeemer names each wallet that it redeemed for; the wallet gave it the tokens before. */
export function bookAutoRedemption(reading: Reading, place: number, fact: AutoRedemption): void {
  const { tx } = reading
  const isStructured = fact.kind === 'autoRedemption'
  const condition = isStructured ? conditionOf(fact.positionId) : fact.conditionId
  const tokens: string[] = []
  const amounts: bigint[] = []
  for (const move of tx.moves) {
    if (move.place >= place || move.isClaimed || move.amount === 0n) continue
    if (move.from !== fact.from || !isRedeemer(move.to)) continue
    const isGiven = isStructured
      ? move.token === fact.positionId
      : tx.redeemed.some((each) => each.condition === condition && each.tokens.includes(move.token))
    if (!isGiven) continue
    move.isClaimed = true
    tokens.push(move.token)
    amounts.push(move.amount)
  }
  push(reading, place, {
    wallet: fact.from,
    condition,
    tokens,
    amounts,
    payout: fact.payout,
    isCore: false,
    isUser: true,
    source: 'auto_redeemer',
  })
}

/** One position of a structured condition. */
export function bookPositionRedemption(
  reading: Reading,
  place: number,
  fact: DecodedEventOf<'positionRedeemed'>,
  wallet: string,
): void {
  const { tx } = reading
  const { initiator, positionId, amount, payout } = fact
  checkPayout([amount], payout)
  tx.explain(wallet, ZERO_ADDRESS, positionId, bookable(amount))
  const isNamed =
    isAutoRedeemer(initiator) &&
    tx.facts.some(
      (named, later) =>
        later > place && named.kind === 'autoRedemption' && named.positionId === positionId,
    )
  push(reading, place, {
    wallet,
    condition: conditionOf(positionId),
    ...keepPositive([positionId], [amount]),
    payout,
    isCore: true,
    isUser: !isNamed && !isModule(initiator) && reading.isUser(wallet),
    source: isAutoRedeemer(initiator) ? 'auto_redeemer' : 'direct',
  })
}

/** Takes the tokens of others to redeem them. */
const isRedeemer = (address: string): boolean => isAutoRedeemer(address) || isModule(address)

type AutoRedemption =
  | DecodedEventOf<'autoRedemption'>
  | DecodedEventOf<'autoBinaryRedemption'>
  | DecodedEventOf<'autoNegRiskRedemption'>

type Given = { tokens: string[]; amounts: bigint[] }

function push(
  { tx, tape }: Reading,
  place: number,
  fields: Omit<RedemptionFact, 'seq' | 'timeSec' | 'txHash'>,
): void {
  for (const amount of fields.amounts) bookable(amount)
  bookable(fields.payout)
  tape.redemptions.push({
    seq: tx.seqAt(place),
    timeSec: tx.timeSec,
    txHash: tx.hash,
    ...fields,
  })
}

function checkPayout(amounts: readonly bigint[], payout: bigint): void {
  let given = 0n
  for (const amount of amounts) given += amount
  if (payout > given) throw new Refusal('inconsistent', 'a redemption pays more than was given')
}

/** What the contract burned of the redeemer's, at most one burn for each index set. */
function findBurned(tx: Transaction, place: number, fact: DecodedEventOf<'ctfRedemption'>): Given {
  const tokens: string[] = []
  const amounts: bigint[] = []
  for (let earlier = place - 1; earlier >= 0; earlier--) {
    if (tx.contracts[earlier]?.role !== 'conditionalTokens') continue
    const burn = tx.facts[earlier]
    const isBurn =
      burn?.kind === 'transferSingle' && burn.to === ZERO_ADDRESS && burn.from === fact.redeemer
    if (!isBurn || tokens.length === fact.indexSets.length) break
    tokens.unshift(burn.id)
    amounts.unshift(burn.value)
  }
  return keepPositive(tokens, amounts)
}

function keepPositive(ids: readonly string[], values: readonly bigint[]): Given {
  const given: Given = { tokens: [], amounts: [] }
  for (const [index, amount] of values.entries()) {
    if (amount === 0n) continue
    given.tokens.push(ids[index] ?? '')
    given.amounts.push(amount)
  }
  return given
}

/** The adapter's own event about a redemption of the conditional tokens. */
function findNegRisk(tx: Transaction, place: number, condition: string) {
  for (let later = place + 1; later < tx.facts.length; later++) {
    const fact = tx.facts[later]
    if (fact?.kind === 'negRiskRedemption' && fact.conditionId === condition)
      return { redeemer: fact.redeemer, token: findGiven(tx, later, fact)[0] }
  }
  return undefined
}

/** The tokens, YES and NO, that the redeemer handed to the neg-risk adapter. */
function findGiven(
  tx: Transaction,
  place: number,
  { redeemer, amounts }: DecodedEventOf<'negRiskRedemption'>,
): readonly string[] {
  for (let earlier = place - 1; earlier >= 0; earlier--) {
    const given = tx.facts[earlier]
    if (
      given?.kind === 'transferBatch' &&
      given.from === redeemer &&
      given.to === NEG_RISK_ADAPTER &&
      given.values.length === amounts.length &&
      given.values.every((value, index) => value === amounts[index])
    )
      return given.ids
  }
  throw new Refusal('inconsistent', 'the tokens of a neg-risk redemption did not move')
}

/** How many wallets the AutoRedeemer names for a redemption, until it redeems the condition again. */
function countNamed(tx: Transaction, place: number, condition: string): number {
  let named = 0
  for (let later = place + 1; later < tx.facts.length; later++) {
    const fact = tx.facts[later]
    if (fact?.kind === 'ctfRedemption' && fact.conditionId === condition) break
    if (
      (fact?.kind === 'autoBinaryRedemption' || fact?.kind === 'autoNegRiskRedemption') &&
      fact.conditionId === condition
    )
      named++
  }
  return named
}
