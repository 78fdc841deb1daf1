import { LRUCache } from 'lru-cache'
import type { Static } from 'typebox'
import { toDecimal } from '../../core/money.js'
import { presentWalletOnchainPosition, unrealizedNow } from '../present.js'
import type { ClosedPosition } from '../queries.js'
import type { WalletOnchainReply } from '../schemas.js'

/** One position of a wallet as it is kept: its answer, and what filters and sums need. */
type KeptPosition = {
  shown: ReturnType<typeof presentWalletOnchainPosition>
  filledSec: number
  /** Slugs and labels. */
  tags: ReadonlySet<string>
  realized: bigint
  unrealized: bigint
}

export type OnchainFilter = {
  since?: number | undefined
  until?: number | undefined
  tag_slug?: string | undefined
}

export const toKept = (row: ClosedPosition): KeptPosition => ({
  shown: presentWalletOnchainPosition(row),
  filledSec: row.filledSec,
  tags: new Set([...(row.state.tagLabels ?? []), ...(row.state.tagSlugs ?? [])]),
  realized: row.realized,
  unrealized: unrealizedNow(row),
})

/** The answer for the positions of a set that a filter leaves. */
export function summarizeSet(
  wallet: string,
  set: readonly KeptPosition[],
  filter: OnchainFilter,
): Static<typeof WalletOnchainReply> {
  const { since, until, tag_slug: tag } = filter
  const isFiltered = since !== undefined || until !== undefined || tag !== undefined
  const kept = isFiltered ? set.filter((position) => isWanted(position, filter)) : set
  const realized = sumOf(kept.map((position) => position.realized))
  const unrealized = sumOf(kept.map((position) => position.unrealized))
  return {
    wallet,
    source: 'onchain',
    count: kept.length,
    open_count: count(kept, ({ shown }) => shown.size > 0),
    closed_count: count(kept, (position) => position.shown.size === 0 && position.realized !== 0n),
    total_realized_pnl: toDecimal(realized),
    total_unrealized_pnl: toDecimal(unrealized),
    total_pnl: toDecimal(realized + unrealized),
    positions_with_pnl: count(kept, (position) => position.realized !== 0n),
    ...(isFiltered && {
      filtered: true as const,
      applied_filters: { since: since ?? null, until: until ?? null, tag_slug: tag ?? null },
    }),
    positions: kept.map(({ shown }) => shown),
  }
}

/** A position without a fill has no time, and is not in any range. */
function isWanted({ filledSec, tags }: KeptPosition, filter: OnchainFilter): boolean {
  const { since, until, tag_slug: tag } = filter
  if (tag !== undefined && !tags.has(tag)) return false
  if (since === undefined && until === undefined) return true
  return filledSec > 0 && filledSec >= (since ?? 0) && filledSec <= (until ?? filledSec)
}

const count = <Item>(items: readonly Item[], isCounted: (item: Item) => boolean): number =>
  items.reduce((all, item) => all + (isCounted(item) ? 1 : 0), 0)

const sumOf = (numbers: readonly bigint[]): bigint => numbers.reduce((all, each) => all + each, 0n)

const KEPT_MS = 5 * 60_000
/** Positions of all sets together, of about a kilobyte each. */
const POSITIONS_MAX = 60_000

type Kept = {
  expiresAtMs: number
  reorg: bigint
  set: Promise<readonly KeptPosition[]>
  size: number
}

/**
 * Keeps the positions of wallets for five minutes, or until the next reorganisation. Requests for one wallet share one
 * reading.
 */
export class WalletSets {
  readonly #sets = new LRUCache<string, Kept>({
    maxSize: POSITIONS_MAX,
    sizeCalculation: ({ size }) => size,
  })

  /** A reading that fails is not kept. `reorg`: the last one. */
  get(
    wallet: string,
    { nowMs, reorg }: { nowMs: number; reorg: bigint },
    read: () => Promise<readonly KeptPosition[]>,
  ): Promise<readonly KeptPosition[]> {
    const known = this.#sets.get(wallet)
    if (known !== undefined && nowMs < known.expiresAtMs && reorg === known.reorg) return known.set
    const set = read()
    const kept = { expiresAtMs: nowMs + KEPT_MS, reorg, set, size: 1 }
    this.#sets.set(wallet, kept)
    set.then(
      ({ length }) => {
        // Set again with its size, unless a newer read has replaced it.
        if (this.#sets.peek(wallet) !== kept) return
        this.#sets.delete(wallet)
        this.#sets.set(wallet, { ...kept, size: length + 1 })
      },
      () => {
        if (this.#sets.peek(wallet) === kept) this.#sets.delete(wallet)
      },
    )
    return set
  }
}
