import { absolute, roundToMillionths, toDecimalText } from '../core/money.js'
import { CLOSED_SHARES_MAX } from '../lookups/position-sql.js'
import type { DataPosition } from '../upstreams/data-api/parse.js'

/** A position of the ledger, in millionths. */
export type OurPosition = {
  balance: bigint
  bought: bigint
  /** What a share cost, rounded toward zero. */
  average: bigint
  realized: bigint
  /** What a share is paid; `undefined`: there is no result. */
  payout: bigint | undefined
  /** The result may have come after one of the two sides was read. */
  isResultNew: boolean
}

export type FieldDifference = {
  field: string
  ours: string
  theirs: string
  by: string | undefined
}

/**
 * The platform keeps the average as whole millionths of a dollar and cuts it with every purchase; the
 * ledger keeps the exact cost. So averages drift apart by a few millionths, and a gain by as many for
 * each share that was sold.
 */
const AVERAGE_DRIFT = 10n
/** A result of thirds is cut by one side and rounded by the other. */
const PAYOUT_DRIFT = 1n

type Field = {
  name: string
  /** `undefined`: it is not compared. */
  ours: (position: OurPosition) => bigint | undefined
  theirs: (row: DataPosition) => string
  /** How far apart the two may be. */
  tolerance: (position: OurPosition) => bigint
}

const EXACTLY = () => 0n

/** What is compared of a position, by the platform's names. */
const FIELDS: readonly Field[] = [
  {
    name: 'current_size',
    ours: ({ balance }) => (balance > 0n ? balance : 0n),
    theirs: ({ size }) => size,
    tolerance: EXACTLY,
  },
  {
    name: 'total_size',
    ours: ({ bought }) => bought,
    theirs: ({ bought }) => bought,
    tolerance: EXACTLY,
  },
  {
    name: 'avg_price',
    ours: ({ average }) => average,
    theirs: ({ averagePrice }) => averagePrice,
    tolerance: () => AVERAGE_DRIFT,
  },
  {
    name: 'realized_pnl',
    ours: ({ realized }) => realized,
    theirs: ({ realizedPnl }) => realizedPnl,
    // Of all that was bought no more can have been sold.
    tolerance: ({ bought }) => AVERAGE_DRIFT + (bought * AVERAGE_DRIFT) / 1_000_000n,
  },
  {
    name: 'current_price',
    ours: ({ payout, isResultNew }) => (isResultNew ? undefined : payout),
    theirs: ({ price }) => price,
    tolerance: () => PAYOUT_DRIFT,
  },
]

/** Where the platform's row says something else than the ledger. */
export function compareFields(ours: OurPosition, theirs: DataPosition): FieldDifference[] {
  const differences: FieldDifference[] = []
  const statuses = statusesOf(ours)
  if (!statuses.includes(theirs.status)) {
    const status = { field: 'status', ours: statuses[0] ?? '', theirs: theirs.status }
    differences.push({ ...status, by: undefined })
  }
  for (const field of FIELDS) {
    const own = field.ours(ours)
    const other = roundToMillionths(field.theirs(theirs))
    if (own === undefined || absolute(own - other) <= field.tolerance(ours)) continue
    differences.push({
      field: field.name,
      ours: toDecimalText(own),
      theirs: toDecimalText(other),
      by: toDecimalText(own - other),
    })
  }
  return differences
}

/** The statuses that fit, the likely one first. What a sale leaves over may count as nothing, or not. */
export function statusesOf(position: OurPosition): DataPosition['status'][] {
  const { balance, bought } = position
  if (balance >= CLOSED_SHARES_MAX) return heldStatuses(position)
  if (balance <= 0n) return ['CLOSED']
  return bought > 0n ? ['CLOSED', ...heldStatuses(position)] : heldStatuses(position)
}

function heldStatuses({ payout, isResultNew }: OurPosition): DataPosition['status'][] {
  if (isResultNew) return ['OPEN', 'REDEEMABLE']
  return payout === undefined ? ['OPEN'] : ['REDEEMABLE']
}
