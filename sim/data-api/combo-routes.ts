import { addAmounts, isoTime } from '../markets/amounts.js'
import { readInt } from '../server/query.js'
import {
  COMBO_STATUSES,
  type ComboFigures,
  type ComboRedemption,
  countResolved,
  listRedemptions,
  measureCombos,
  outcomeLabelOf,
} from './combos.js'
import type { Api, Route } from './context.js'
import { BadRequest, DIRECTIONS, readChoice, readChoices, readUser } from './query.js'
import { readConditions } from './scope.js'
import { sortBy } from './sort.js'
import { pageOfList } from './v2-page.js'

const RULE = { usual: 20, max: 1_000 }
/** The module of the contracts that makes combos. */
const MODULE = 3

const ORDERS = {
  FIRST_ENTRY: (row: ComboFigures) => row.firstSec,
  ENTRY_COST: (row: ComboFigures) => row.cost,
  CURRENT_VALUE: (row: ComboFigures) => row.currentValue,
  UPDATED: (row: ComboFigures) => row.lastSec,
}

export const comboPositionsV2: Route = (api, query) =>
  pageOfList({ ...RULE, list: 'combo-positions' }, query, (bound) => {
    const order = readChoice(bound, 'sort_by', ['FIRST_ENTRY', 'ENTRY_COST', 'CURRENT_VALUE', 'UPDATED'])
    const direction = readChoice(bound, 'sort_direction', DIRECTIONS)
    return sortBy(readCombos(api, bound, 'condition_id'), ORDERS[order], direction).map(showPositionV2)
  })

const V1_SORTS = {
  first_entry_desc: { keyOf: ORDERS.FIRST_ENTRY, direction: 'DESC' },
  current_value_desc: { keyOf: ORDERS.CURRENT_VALUE, direction: 'DESC' },
  entry_cost_desc: { keyOf: ORDERS.ENTRY_COST, direction: 'DESC' },
  resolved_at_desc: {
    keyOf: ({ combo }: ComboFigures) => combo.resolvesMs,
    direction: 'DESC',
  },
  updated_asc: { keyOf: ORDERS.UPDATED, direction: 'ASC' },
} as const

/** The first version has an envelope here too, and calls a condition a market. */
export const comboPositionsV1: Route = (api, query) => {
  const { data, pagination } = pageOfList({ ...RULE, list: 'combos' }, query, (bound) => {
    const { keyOf, direction } =
      V1_SORTS[
        readChoice(bound, 'sort', [
          'first_entry_desc',
          'current_value_desc',
          'entry_cost_desc',
          'resolved_at_desc',
          'updated_asc',
        ])
      ]
    return sortBy(readCombos(api, bound, 'market_id'), keyOf, direction).map(showPositionV1)
  })
  return { combos: data, pagination }
}

function readCombos(
  api: Api,
  query: URLSearchParams,
  conditionKey: 'condition_id' | 'market_id',
): ComboFigures[] {
  const wallet = readUser(api.universe, query)
  const statuses = readChoices(query, 'status', COMBO_STATUSES)
  const conditions = readConditions(query, conditionKey)
  const afterSec = readInt(query, 'updated_after') ?? 0
  const beforeSec = readInt(query, 'updated_before') ?? Number.POSITIVE_INFINITY
  if (!(afterSec >= 0 && beforeSec >= afterSec)) {
    throw new BadRequest("invalid query param 'updated_after' or 'updated_before'")
  }
  const isAlone = statuses.length === 1 || statuses === COMBO_STATUSES
  if (statuses.includes('REDEEMABLE') && !isAlone) {
    throw new BadRequest('status REDEEMABLE cannot be combined with others')
  }
  return (wallet === undefined ? [] : measureCombos(api, wallet)).filter(
    ({ combo, status, isRedeemable, lastSec }) =>
      (conditions.length === 0 || conditions.includes(combo.conditionId)) &&
      (statuses.includes(status) || (statuses[0] === 'REDEEMABLE' && isRedeemable)) &&
      lastSec >= afterSec &&
      lastSec <= beforeSec,
  )
}

/** Fields that both versions name alike. */
const commonFields = (figures: ComboFigures) => ({
  combo_condition_id: figures.combo.conditionId,
  combo_position_id: figures.token.decimal,
  entry_avg_price_usdc: figures.avgPrice,
  entry_cost_usdc: figures.cost,
  realized_payout_usdc: figures.paid,
  status: figures.status,
  redeemable: figures.isRedeemable,
  first_entry_at: isoTime(figures.firstSec * 1000),
  resolved_at: figures.status.startsWith('RESOLVED') ? isoTime(figures.combo.resolvesMs) : null,
  updated_at: isoTime(figures.lastSec * 1000),
  legs_total: figures.legs.length,
  legs_resolved: countResolved(figures),
  legs_pending: figures.legs.length - countResolved(figures),
  legs: figures.legs,
})

const showPositionV2 = (figures: ComboFigures) => ({
  ...commonFields(figures),
  proxy_wallet: figures.wallet.address,
  outcome_index: figures.token.outcome,
  outcome_label: outcomeLabelOf(figures.token),
  current_size: figures.size,
  gross_entry_cost_usdc: addAmounts(figures.cost, figures.fees),
  entry_fees_usdc: figures.fees,
})

const showPositionV1 = (figures: ComboFigures) => ({
  ...commonFields(figures),
  side: outcomeLabelOf(figures.token).toUpperCase(),
  module_id: MODULE,
  user_address: figures.wallet.address,
  shares_balance: figures.size,
  total_cost_usdc: addAmounts(figures.cost, figures.fees),
})

export const comboActivityV2: Route = (api, query) =>
  pageOfList({ ...RULE, list: 'combo-activity' }, query, (bound) =>
    readRedemptions(api, bound, 'condition_id').map((redemption) => ({
      ...commonActivity(redemption),
      proxy_wallet: redemption.wallet.address,
      transaction_hash: redemption.settled.tx.hash,
    })),
  )

export const comboActivityV1: Route = (api, query) => {
  const rule = { ...RULE, list: 'combo-activity-v1' }
  const { data, pagination } = pageOfList(rule, query, (bound) =>
    readRedemptions(api, bound, 'market_id').map((redemption) => ({
      ...commonActivity(redemption),
      user_address: redemption.wallet.address,
      module_id: MODULE,
      tx_dttm: isoTime(redemption.settled.block.timestampSec * 1000),
      tx_hash: redemption.settled.tx.hash,
      log_index: 0,
    })),
  )
  return { activity: data, pagination }
}

function readRedemptions(
  { universe }: Api,
  query: URLSearchParams,
  conditionKey: 'condition_id' | 'market_id',
): ComboRedemption[] {
  const wallet = readUser(universe, query)
  const conditions = readConditions(query, conditionKey)
  return (wallet === undefined ? [] : listRedemptions(universe, wallet)).filter(
    ({ token }) => conditions.length === 0 || conditions.includes(token.of.conditionId),
  )
}

const commonActivity = ({ id, token, size, paid, settled, legs }: ComboRedemption) => ({
  id,
  type: 'REDEEM',
  combo_condition_id: token.of.conditionId,
  combo_position_id: token.decimal,
  amount_usdc: size,
  payout_usdc: paid,
  timestamp: settled.block.timestampSec,
  block_number: settled.block.number,
  legs,
})
