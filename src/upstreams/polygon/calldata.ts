import { arrayAt, DecodeError, START, targetOf, uintAt, WORD, wordAt } from './abi.js'
import { CONTRACTS, type Contract, type Generation } from './contracts.js'
import { decodeOrderV1, decodeOrderV2, type SignedOrder } from './order.js'

/** What a transaction that settles a match will do, read from its input before it is in a block. */
export type PendingMatch = {
  generation: Generation
  /** The exchange whose orders these are, also when the call goes through a fee module. */
  exchange: string
  /** Only generation 2 names it. */
  conditionId: string | undefined
  taker: PendingFill
  makers: PendingFill[]
  /** Legs of a combo that the same transaction prepares. */
  legs: string[] | undefined
}

/** The part of one order in a match. */
export type PendingFill = {
  order: SignedOrder
  usd: bigint
  shares: bigint
  /** `undefined`: the call does not say, the exchange takes it from the rate in the order. */
  fee: bigint | undefined
}

/** `undefined`: no match on an exchange of ours. Throws DecodeError: it is one and does not decode. */
export function decodeMatchOrders(to: string, input: string): PendingMatch | undefined {
  const contract = SETTLERS.get(to)
  const layout = LAYOUTS.get(input.slice(0, ARGUMENTS_START))
  if (contract === undefined || layout === undefined) return undefined
  if (input.length < ARGUMENTS_START + layout.words * WORD) throw new DecodeError('the call is too short')

  const exchange = exchangeOf(contract)
  const head = (index: number) => ARGUMENTS_START + index * WORD
  const numbers = (index: number) => arrayAt(input, head(index), ARGUMENTS_START, uintAt)
  const { fees, takerFee, legs, conditionId } = layout
  const makers = decodeMakers(
    decodeOrders(input, head(layout.makers), layout.order),
    numbers(layout.fills),
    fees === undefined ? undefined : numbers(fees),
  )
  const order = layout.order(input, targetOf(input, head(layout.taker), ARGUMENTS_START))
  return {
    generation: exchange.generation,
    exchange: exchange.address,
    conditionId: conditionId === undefined ? undefined : wordAt(input, head(conditionId)),
    taker: {
      order,
      ...sumUp(order, makers),
      fee: takerFee === undefined ? undefined : uintAt(input, head(takerFee)),
    },
    makers,
    legs: legs === undefined ? undefined : arrayAt(input, head(legs), ARGUMENTS_START, wordAt),
  }
}

/** Arguments follow `0x` and the selector's four bytes. */
const ARGUMENTS_START = START + 8

/** Which argument word holds what. */
type Layout = {
  order: (hex: string, at: number) => SignedOrder
  words: number
  taker: number
  makers: number
  fills: number
  fees?: number
  takerFee?: number
  conditionId?: number
  legs?: number
}

const V3: Layout = {
  order: decodeOrderV2,
  words: 7,
  taker: 0,
  makers: 1,
  fills: 2,
  fees: 3,
  takerFee: 6,
}

const LAYOUTS: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ['0xe60f0c05', { order: decodeOrderV1, words: 4, taker: 0, makers: 1, fills: 3 }],
  // Through the fee module.
  ['0x2287e350', { order: decodeOrderV1, words: 7, taker: 0, makers: 1, fills: 4, takerFee: 5, fees: 6 }],
  [
    '0x3c2b4399',
    {
      order: decodeOrderV2,
      words: 7,
      conditionId: 0,
      taker: 1,
      makers: 2,
      fills: 4,
      takerFee: 5,
      fees: 6,
    },
  ],
  ['0x0fb25ba4', V3],
  // The same, and prepares a combo first.
  ['0xe75cf6e5', { ...V3, words: 8, legs: 7 }],
])

/** Contracts that operators call to settle a match. */
export const SETTLERS: ReadonlyMap<string, Contract> = new Map(
  CONTRACTS.filter(({ role }) => ['exchangeV1', 'exchange', 'feeModule'].includes(role)).map((contract) => [
    contract.address,
    contract,
  ]),
)

/** The exchange that a fee module calls. */
function exchangeOf(contract: Contract): Contract {
  if (contract.role !== 'feeModule') return contract
  const served = (other: Contract) => other.role === 'exchangeV1' && other.negRisk === contract.negRisk
  return CONTRACTS.find(served) ?? contract
}

/** An array of tuples holds their offsets, counted from the end of its length. */
function decodeOrders(hex: string, at: number, order: Layout['order']): SignedOrder[] {
  const base = targetOf(hex, at, ARGUMENTS_START) + WORD
  return arrayAt(hex, at, ARGUMENTS_START, (_, itemAt) => order(hex, targetOf(hex, itemAt, base)))
}

function decodeMakers(orders: SignedOrder[], fills: bigint[], fees: bigint[] | undefined): PendingFill[] {
  if (fills.length !== orders.length || (fees !== undefined && fees.length !== orders.length))
    throw new DecodeError('orders, fills and fees are not as many')
  return orders.map((order, index) => {
    const made = fills[index] ?? 0n
    if (order.makerAmount === 0n) throw new DecodeError('an order offers nothing')
    const taken = (made * order.takerAmount) / order.makerAmount
    const amounts = order.side === 'BUY' ? { usd: made, shares: taken } : { usd: taken, shares: made }
    return { order, ...amounts, fee: fees?.[index] }
  })
}

/**
 * What the taker gets and gives follows from the makers: against the same token it trades at the
 * maker's price; against the other token of the pair both sides together make or undo whole shares.
 */
function sumUp(taker: SignedOrder, makers: readonly PendingFill[]) {
  let usd = 0n
  let shares = 0n
  for (const maker of makers) {
    const isSameToken = maker.order.tokenId === taker.tokenId
    if (isSameToken === (maker.order.side === taker.side))
      throw new DecodeError('an order does not cross the taker')
    usd += isSameToken ? maker.usd : maker.shares - maker.usd
    shares += maker.shares
  }
  return { usd, shares }
}
