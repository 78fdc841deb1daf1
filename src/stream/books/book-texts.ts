import { LRUCache } from 'lru-cache'
import type { BookChange, BookLevel, LiveBook } from '../../books/live-book.js'
import type { MarketInfo, MarketLookup } from '../../catalogue/market-info.js'
import { parseTokenId } from '../../core/ids.js'
import { limitCount } from '../../lib/limit-count.js'

export type LevelChange = Extract<BookChange, { kind: 'level' }>
export type TradeChange = Extract<BookChange, { kind: 'trade' }>

/** What integrity mode adds to a book, and to a change of one. */
export type BookAnchor = { seq: number; checksum: string }

/** Labels take a few hundred bytes each. */
const LABELS_MAX = 50_000

/** What messages say about the market of a token, as JSON fields; the outcome is empty or begins with a comma. */
type Label = { token: string; info: MarketInfo | undefined; market: string; outcome: string }

/**
 * The JSON texts of books and of their changes, with the market as the catalogue has it at that moment.
 * They are written by hand, because the market's part is the same in every message of a token;
 * prices and sizes are digits and need no escaping.
 */
export class BookTexts {
  readonly #catalogue: MarketLookup
  readonly #labels = new LRUCache<string, Label>(limitCount(LABELS_MAX))

  constructor(catalogue: MarketLookup) {
    this.#catalogue = catalogue
  }

  snapshot(book: Pick<LiveBook, 'tokenId' | 'conditionId' | 'bids' | 'asks'>, anchor?: BookAnchor) {
    const { market, outcome, info } = this.#label(book)
    const condition = quote(info?.conditionId ?? book.conditionId ?? '')
    const integrity = anchor === undefined ? '' : `,"integrity":${presentAnchor(anchor)}`
    return `{"type":"book_snapshot","asset_id":"${book.tokenId}",${market},"condition_id":${condition}${outcome},"bids":${presentLevels(book.bids)},"asks":${presentLevels(book.asks)}${integrity}}`
  }

  /** Any number of levels of one token. */
  levels(of: BookName, changes: Iterable<LevelChange>): string {
    const { market, outcome } = this.#label(of)
    const rows = Array.from(changes, (change) => presentRow(change, outcome))
    return `{"type":"price_change",${market},"assets":[${rows.join(',')}]}`
  }

  /** One level, with its proof. */
  provenLevel(of: BookName, change: LevelChange, after: BookAnchor): string {
    const { market, outcome } = this.#label(of)
    return `{"type":"price_change","asset_id":"${of.tokenId}",${market},"assets":[${presentRow(change, outcome)}],"integrity":${presentProof(after)}}`
  }

  /** Any number of levels, with one proof. */
  provenLevels(of: BookName, { bids, asks }: Pick<LiveBook, 'bids' | 'asks'>, after: BookAnchor): string {
    const { market, outcome } = this.#label(of)
    return `{"type":"book_update","asset_id":"${of.tokenId}",${market}${outcome},"bids":${presentLevels(bids)},"asks":${presentLevels(asks)},"integrity":${presentProof(after)}}`
  }

  /** `undefined`: the exchange did not say which side took how much, which clients rely on. */
  trade(trade: TradeChange): string | undefined {
    const { tokenId, price, size, side, feeRateBps = 0, timestampMs } = trade
    if (size === undefined || side === undefined) return undefined
    const { market, outcome } = this.#label(trade)
    return `{"type":"last_trade_price","asset_id":"${tokenId}",${market}${outcome},"price":"${price}","size":"${size}","side":"${side}","fee_rate_bps":"${feeRateBps}","timestamp":"${timestampMs}"}`
  }

  #label({ tokenId, conditionId }: BookName): Label {
    const known = this.#labels.get(tokenId)
    const token = known?.token ?? parseTokenId(tokenId) ?? ''
    const info = this.#catalogue.byToken(token)
    // A market that changed in the catalogue is another object.
    if (known !== undefined && known.info === info && info !== undefined) return known
    const label = { token, info, ...presentMarket(info, tokenId, conditionId) }
    this.#labels.set(tokenId, label)
    return label
  }
}

type BookName = { tokenId: string; conditionId: string | undefined }

function presentMarket(info: MarketInfo | undefined, tokenId: string, conditionId = '') {
  if (info === undefined) return { market: `"market":${quote(conditionId)}`, outcome: '' }
  const { eventTitle, eventSlug, title, outcomes, tokenIds } = info
  const fields = {
    market: info.conditionId,
    event_title: eventTitle,
    question: title,
    slug: eventSlug,
  }
  const outcome = outcomes[tokenIds.indexOf(tokenId)]
  return {
    market: JSON.stringify(fields).slice(1, -1),
    outcome: outcome === undefined ? '' : `,"outcome":${quote(outcome)}`,
  }
}

function presentRow(change: LevelChange, outcome: string): string {
  const { tokenId, price, size, side, bestBid, bestAsk } = change
  const bid = bestBid === undefined ? '' : `,"best_bid":"${bestBid}"`
  const ask = bestAsk === undefined ? '' : `,"best_ask":"${bestAsk}"`
  return `{"asset_id":"${tokenId}"${outcome},"price":"${price}","size":"${size}","side":"${side}"${bid}${ask}}`
}

const presentLevels = (levels: readonly BookLevel[]): string =>
  `[${levels.map(({ price, size }) => `{"price":"${price}","size":"${size}"}`).join(',')}]`

const presentAnchor = ({ seq, checksum }: BookAnchor): string =>
  `{"protocol":"pn1","anchor":true,"seq":${seq},"checksum":"${checksum}"}`

const presentProof = ({ seq, checksum }: BookAnchor): string =>
  `{"protocol":"pn1","prev_seq":${seq - 1},"seq":${seq},"checksum":"${checksum}"}`

const quote = (text: string): string => JSON.stringify(text)
