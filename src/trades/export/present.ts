import { FILL_FLAGS, hasFlag } from '../../core/fact-flags.js'
import { toTokenId } from '../../core/ids.js'
import { feeInMoney, toDecimal, toPrice, toPriceMillionths } from '../../core/money.js'
import type { ExportRow } from './queries.js'
import type { BulkTrade } from './schemas.js'

/** Most wallets trade fewer. */
const TOKENS_MAX = 10_000

type Amounts<Amount> = {
  amount: (millionths: bigint) => Amount
  price: (usd: bigint, shares: bigint) => Amount
}

/** For texts. */
export const AS_NUMBERS: Amounts<number> = { amount: toDecimal, price: toPrice }

/** For Parquet, which has exact decimals. */
export const AS_MILLIONTHS: Amounts<bigint> = {
  amount: (millionths) => millionths,
  price: toPriceMillionths,
}

type PresentedTrade<Amount> = {
  [Field in keyof BulkTrade]: Field extends 'price' | 'shares' | 'usd' | 'fee' ? Amount : BulkTrade[Field]
} & { own_size?: Amount }

/**
 * Presents the rows of one export, and remembers how its tokens are written. `wallet`: whose own side each row
 * shows; `undefined`: none.
 */
export function createBulkPresenter<Amount>(
  { amount, price }: Amounts<Amount>,
  wallet: string | undefined,
): (row: ExportRow) => PresentedTrade<Amount> {
  const tokenIds = new Map<string, string>()
  const tokenIdOf = (token: string): string => {
    const known = tokenIds.get(token)
    if (known !== undefined) return known
    if (tokenIds.size >= TOKENS_MAX) tokenIds.clear()
    const id = toTokenId(token)
    tokenIds.set(token, id)
    return id
  }
  /** Of its own order, which may be for the other token; without one it does the owner's opposite. */
  const presentOwnSide = ({ maker, token, flags, shares, ownToken, isOwnSell }: ExportRow) => {
    const isSell = hasFlag(flags, FILL_FLAGS.sell)
    const isOwner = maker === wallet
    return {
      own_token_id: tokenIdOf(isOwner ? token : (ownToken ?? token)),
      own_side: sideOf(isOwner ? isSell : (isOwnSell ?? !isSell)),
      own_size: amount(shares),
    }
  }
  return (row) => {
    const { usd, shares, fee, flags } = row
    return {
      tx_hash: row.txHash,
      order_hash: row.orderHash,
      timestamp: row.timeSec,
      maker: row.maker,
      taker: row.taker,
      token_id: tokenIdOf(row.token),
      direction: sideOf(hasFlag(flags, FILL_FLAGS.sell)),
      price: price(usd, shares),
      shares: amount(shares),
      usd: amount(usd),
      fee: amount(feeInMoney({ fee, isFeeInShares: hasFlag(flags, FILL_FLAGS.feeInShares), usd, shares })),
      is_taker_order: hasFlag(flags, FILL_FLAGS.taker),
      ...(wallet !== undefined && presentOwnSide(row)),
    }
  }
}

const sideOf = (isSell: boolean): 'BUY' | 'SELL' => (isSell ? 'SELL' : 'BUY')
