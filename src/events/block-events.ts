import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { FeeFact, FillFact, OracleFact, Tape, TapeBlock } from '../chain/attribute/tape.js'
import { type BlockFacts, countTransactions, factsOfBlock } from './block-facts.js'
import { blockEvent } from './block-summary.js'
import { autoRedeemedEvent, comboLifecycleEvent, comboPreparedEvent } from './combo-lifecycle.js'
import { conversionEvent } from './conversion.js'
import { depositEvent } from './deposit.js'
import type { Known } from './known.js'
import { type Match, toSettledMatch } from './match.js'
import { conditionOf, oracleEvent, resolutionEvent } from './oracle.js'
import { PlacedEvents } from './placed-events.js'
import { positionChangeEvent } from './position-change.js'
import { redemptionEvent } from './redemption.js'
import { splitEvent } from './split.js'
import { isCombo } from './structured-id.js'
import { tradeEvent } from './trade.js'

/** What there is to tell when a match is in a block. `fees` are those of its transaction. */
type TellSettled = (match: Match, fees: readonly FeeFact[]) => EventDraft[]

/**
 * Everything that one block of a tape gives to tell, in the order of its logs: what `tellSettled`
 * makes of a match follows its last fill, and the summary of the block comes at the end.
 */
export function blockEvents(
  tape: Tape,
  block: TapeBlock,
  known: Known,
  tellSettled: TellSettled,
): EventDraft[] {
  const facts = factsOfBlock(tape, block.number)
  const events = new PlacedEvents()
  for (const fill of facts.fills)
    if (!isCombo(fill.token)) events.add(fill.seq, tradeEvent(fill, known.markets))
  const matches = groupByTransaction(facts.fills)
  for (const fills of matches) {
    const { seq, txHash } = fills.at(-1) ?? fills[0]
    const fees = facts.fees.filter((fee) => fee.txHash === txHash && fee.kind === 'charged')
    for (const event of tellSettled(toSettledMatch(fills), fees)) events.add(seq, event)
  }
  for (const flow of facts.flows) events.add(flow.seq, depositEvent(flow))
  addPositionEvents(events, facts, known)
  addOracleEvents(events, facts, known.markets)
  addComboEvents(events, facts, block, known)
  const summary = blockEvent(block, {
    transactions: countTransactions(facts),
    settlements: matches.length,
    volume: facts.fills.reduce((sum, { isTaker, usd }) => (isTaker ? sum + usd : sum), 0n),
  })
  return [...events.inOrder(), summary]
}

type Fills = [FillFact, ...FillFact[]]

function groupByTransaction(fills: readonly FillFact[]): Fills[] {
  const groups = new Map<string, Fills>()
  for (const fill of fills) {
    const group = groups.get(fill.txHash)
    if (group === undefined) groups.set(fill.txHash, [fill])
    else group.push(fill)
  }
  return [...groups.values()]
}

/** Only what somebody wanted: the inner moves of a match or of a contract are no news. */
function addPositionEvents(events: PlacedEvents, facts: BlockFacts, known: Known): void {
  const { transfers, splits, conversions, redemptions } = facts
  for (const [index, transfer] of transfers.entries()) {
    if (transfer.isInternal) continue
    const isBatch = transfer.sub > 0 || transfers[index + 1]?.seq === transfer.seq
    events.add(transfer.seq, positionChangeEvent(transfer, isBatch, known.markets))
  }
  for (const split of splits)
    if (split.isUser) events.add(split.seq, splitEvent(split, known.markets))
  for (const conversion of conversions)
    events.add(conversion.seq, conversionEvent(conversion, known.markets))
  for (const redemption of redemptions)
    if (redemption.isUser) events.add(redemption.seq, redemptionEvent(redemption, known))
}

function addOracleEvents(events: PlacedEvents, facts: BlockFacts, markets: MarketLookup): void {
  const { oracle, resolutions } = facts
  for (const fact of oracle) events.add(fact.seq, oracleEvent(fact, markets))
  for (const resolution of resolutions) {
    const isCause = (fact: OracleFact) =>
      fact.txHash === resolution.txHash && conditionOf(fact) === resolution.condition
    events.add(resolution.seq, resolutionEvent(resolution, oracle.find(isCause), markets))
  }
}

function addComboEvents(
  events: PlacedEvents,
  facts: BlockFacts,
  { timeSec }: TapeBlock,
  known: Known,
): void {
  for (const combo of facts.combos) events.add(combo.seq, comboPreparedEvent(combo, timeSec, known))
  for (const fact of facts.comboEvents) events.add(fact.seq, comboLifecycleEvent(fact, known))
  for (const redemption of facts.redemptions)
    if (redemption.isUser && redemption.source === 'auto_redeemer')
      events.add(redemption.seq, autoRedeemedEvent(redemption, known))
}
