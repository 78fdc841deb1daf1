import { toTokenId } from '../core/ids.js'
import { absolute, toDecimalText } from '../core/money.js'
import { CannotCompare } from './cannot-compare.js'
import type { PlatformDifference } from './wallet-comparison.js'

/** One order's part in a match, as either side states it. Amounts are millionths. */
export type ComparedTrade = {
  txHash: string
  /** Hex text. */
  token: string
  isSell: boolean
  shares: bigint
  /** Of a share. */
  price: bigint
  timeSec: number
  slug: string | undefined
  outcome: string | undefined
}

export type TradeSide = 'ours' | 'theirs'

/** The platform writes the price alone, as a quotient that it rounds: four decimals are sure. */
const PRICE_TOLERANCE = 100n
/** A wallet of which more trades than this find no partner is another wallet, or another chain. */
const UNMATCHED_MAX = 100_000
/** Groups that are kept after all their trades found partners, to know a repeated row. */
const RECENT_MAX = 10_000

/** The trades of the wallet in one transaction with one token on one side of the book. */
type Group = {
  ours: ComparedTrade[]
  theirs: ComparedTrade[]
  /** Pairs. */
  matched: number
}

/**
 * Pairs the trades of both sides by transaction, token, side, size and price: a maker may have two orders
 * of one size in a match. Fed from both in about the same order it holds only those that have no partner
 * yet, however long the lists are.
 */
export class TradeMatcher {
  /** Trades that are here, counted once if both sides have them. */
  count = 0
  readonly #open = new Map<string, Group>()
  readonly #recent = new Map<string, number>()
  readonly #differences: PlatformDifference[] = []
  #unmatched = 0

  add(side: TradeSide, trade: ComparedTrade): void {
    const key = keyOf(trade)
    const group = this.#open.get(key) ?? this.#openGroup(key)
    const others = group[side === 'ours' ? 'theirs' : 'ours']
    const partner = others.findIndex((other) => other.shares === trade.shares && isSamePrice(other, trade))
    if (partner === -1) {
      group[side].push(trade)
      this.#unmatched++
      this.count++
    } else {
      const [other = trade] = others.splice(partner, 1)
      this.#unmatched--
      group.matched++
      this.#compareTimes(side === 'ours' ? [trade, other] : [other, trade])
    }
    if (group.ours.length === 0 && group.theirs.length === 0) this.#closeGroup(key, group)
    if (this.#unmatched > UNMATCHED_MAX) {
      throw new CannotCompare(`more than ${UNMATCHED_MAX} trades are on one side alone`)
    }
  }

  /** Once both sides are fed. */
  end(): PlatformDifference[] {
    for (const group of this.#open.values()) this.#pairBySize(group)
    return [...this.#differences, ...[...this.#open.values()].flatMap(compareRest)]
  }

  /** Trades of one size whose partner has another price. */
  #pairBySize(group: Group): void {
    group.ours = group.ours.filter((ours) => {
      const partner = group.theirs.findIndex(({ shares }) => shares === ours.shares)
      const [theirs] = partner === -1 ? [] : group.theirs.splice(partner, 1)
      if (theirs === undefined) return true
      this.count--
      group.matched++
      this.#differences.push(differenceOf(ours, 'price', ours.price, theirs.price))
      this.#compareTimes([ours, theirs])
      return false
    })
  }

  #openGroup(key: string): Group {
    const group = { ours: [], theirs: [], matched: this.#recent.get(key) ?? 0 }
    this.#open.set(key, group)
    return group
  }

  #closeGroup(key: string, { matched }: Group): void {
    this.#open.delete(key)
    this.#recent.set(key, matched)
    if (this.#recent.size <= RECENT_MAX) return
    const [oldest = ''] = this.#recent.keys()
    this.#recent.delete(oldest)
  }

  #compareTimes([ours, theirs]: [ComparedTrade, ComparedTrade]): void {
    if (ours.timeSec !== theirs.timeSec) {
      const [own, other] = [ours.timeSec, theirs.timeSec]
      const times = { ours: `${own}`, theirs: `${other}`, by: `${own - other}` }
      this.#differences.push({ ...describe(ours), field: 'timestamp', ...times })
    }
  }
}

/** What found no partner: as many on both sides have another size, or else rows are missing. */
function compareRest({ ours, theirs, matched }: Group): PlatformDifference[] {
  const first = ours[0] ?? theirs[0]
  if (first === undefined) return []
  if (ours.length === theirs.length) {
    const others = theirs.toSorted(byShares)
    return ours.toSorted(byShares).map((trade, index) => {
      return differenceOf(trade, 'size', trade.shares, others[index]?.shares ?? 0n)
    })
  }
  const counts = [matched + ours.length, matched + theirs.length] as const
  const by = `${counts[0] - counts[1]}`
  return [{ ...describe(first), field: 'rows', ours: `${counts[0]}`, theirs: `${counts[1]}`, by }]
}

const isSamePrice = (a: ComparedTrade, b: ComparedTrade): boolean =>
  absolute(a.price - b.price) <= PRICE_TOLERANCE

const byShares = (a: ComparedTrade, b: ComparedTrade): number => (a.shares < b.shares ? -1 : 1)

const keyOf = ({ txHash, token, isSell }: ComparedTrade): string => `${txHash} ${token} ${isSell}`

const differenceOf = (
  trade: ComparedTrade,
  field: string,
  ours: bigint,
  theirs: bigint,
): PlatformDifference => ({
  ...describe(trade),
  field,
  ours: toDecimalText(ours),
  theirs: toDecimalText(theirs),
  by: toDecimalText(ours - theirs),
})

const describe = ({ token, slug, outcome, txHash, isSell, timeSec }: ComparedTrade) => ({
  what: 'trade' as const,
  token: toTokenId(token),
  slug,
  outcome,
  trade: { txHash, side: isSell ? ('SELL' as const) : ('BUY' as const), timeSec },
})
