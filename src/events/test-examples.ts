import type { BusEvent } from '../bus/event.js'
import type { EventExample } from './examples.js'
import type { EventType } from './registry.js'

type Data = BusEvent['data']
type Wanted = { name: string; isMeant?: (data: Data) => boolean }

const only = (name: string): Wanted[] => [{ name }]
const oneWhere = (name: string, field: string, value: unknown): Wanted => ({
  name,
  isMeant: (data) => data[field] === value,
})

/** Which messages the documents show. */
const WANTED: Readonly<Record<EventType, readonly Wanted[]>> = {
  settlement: [
    oneWhere('A match in the mempool', 'status', 'pending'),
    oneWhere('A match that no node showed before its block', 'status', 'confirmed'),
  ],
  fill: only('The fill of one order'),
  status_update: only('A match is in its block'),
  trade: [
    oneWhere('An order was filled', 'exchange_version', 'v2'),
    oneWhere('In a market of the structured contracts', 'exchange_version', 'v3'),
  ],
  position_change: only('Shares were given away'),
  position_split: only('A full set was made'),
  position_merge: only('A full set was merged'),
  positions_converted: only('NO shares were converted'),
  redemption: [
    oneWhere('By the wallet', 'source', undefined),
    oneWhere('By the AutoRedeemer', 'source', 'AutoRedeemer.BinaryRedemption'),
  ],
  deposit: [
    oneWhere('A deposit', 'direction', 'deposit'),
    oneWhere('A withdrawal', 'direction', 'withdrawal'),
  ],
  block: only('A block'),
  oracle: [
    oneWhere('A question was asked', 'oracle_type', 'initialization'),
    oneWhere('An answer was proposed', 'oracle_type', 'proposal'),
    oneWhere('The proposal was disputed', 'oracle_type', 'dispute'),
    oneWhere('The tokens can be redeemed', 'oracle_type', 'condition_resolution'),
  ],
  combo_execution: only('A match of combos in the mempool'),
  combo_status_update: only('A match of combos is in its block'),
  combo_lifecycle: [
    oneWhere('A combo was prepared', 'action', 'Prepare'),
    oneWhere('The AutoRedeemer paid a wallet', 'module_name', 'AutoRedeemer'),
  ],
  combo_approval: [
    oneWhere('Positions', 'approval_type', 'position_manager_approval_for_all'),
    oneWhere('Collateral', 'approval_type', 'collateral_allowance'),
  ],
  reorg: only('Three blocks were replaced'),
  price_feed: [
    oneWhere('The price of a second', 'is_twap', undefined),
    oneWhere('The mean of thirty seconds', 'twap_window_seconds', 30),
  ],
  score_update: [oneWhere('A game is being played', 'live', true), oneWhere('A game is over', 'ended', true)],
}

/** One message for each that is wanted: the shortest of the first list that has one. */
export function pickExamples(lists: readonly (readonly BusEvent[])[]) {
  const pick = (type: string, { name, isMeant = () => true }: Wanted): EventExample => {
    const event = lists
      .map((list) => list.filter((each) => each.type === type && isMeant(each.data)))
      .find((found) => found.length > 0)
      ?.reduce((best, each) => (each.text.length < best.text.length ? each : best))
    return { name, payload: event === undefined ? undefined : JSON.parse(event.text) }
  }
  return Object.fromEntries(
    Object.entries(WANTED).map(([type, wanted]) => [type, wanted.map((each) => pick(type, each))]),
  )
}
