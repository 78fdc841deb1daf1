import { feeInMoney, toDecimal, toPrice } from '../../core/money.js'
import { toTokenId } from '../../core/token-id.js'
import type { ExportRow } from './queries.js'
import type { BulkTrade } from './schemas.js'

/** Most wallets trade fewer. */
const TOKENS_MAX = 10_000

/** Presents the rows of one export, and remembers how its tokens are written. */
export function createBulkPresenter(): (row: ExportRow) => BulkTrade {
  const tokenIds = new Map<string, string>()
  const tokenIdOf = (token: string): string => {
    const known = tokenIds.get(token)
    if (known !== undefined) return known
    if (tokenIds.size >= TOKENS_MAX) tokenIds.clear()
    const id = toTokenId(token)
    tokenIds.set(token, id)
    return id
  }
  return ({ usd, shares, fee, flags, ...row }) => ({
    tx_hash: row.txHash,
    order_hash: row.orderHash,
    timestamp: row.timeSec,
    maker: row.maker,
    taker: row.taker,
    token_id: tokenIdOf(row.token),
    direction: (flags & 1) === 0 ? 'BUY' : 'SELL',
    price: toPrice(usd, shares),
    shares: toDecimal(shares),
    usd: toDecimal(usd),
    fee: toDecimal(feeInMoney({ fee, isFeeInShares: (flags & 4) !== 0, usd, shares })),
  })
}
