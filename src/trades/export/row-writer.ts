import type { TObject } from 'typebox'
import { toTokenId } from '../../core/ids.js'
import { feeInMoney, toDecimal, toPrice, toPriceMillionths } from '../../core/money.js'
import { parquetColumnsOf } from '../../http/parquet.js'
import { type RowFormatName, toCsvLine } from '../../http/row-format.js'
import { ParquetFile } from './parquet-file.js'
import type { ExportRow } from './queries.js'
import { BulkTrade, WalletBulkTrade } from './schemas.js'

/** Writes the trades of an export, batch by batch. */
export type RowWriter = {
  begin(): Uint8Array
  rows(batch: readonly ExportRow[]): Uint8Array | Promise<Uint8Array>
  end(): Uint8Array | Promise<Uint8Array>
}

const NOTHING = new Uint8Array()

/** Writes the rows of a JSON list, without its brackets. */
function createJsonWriter(wallet?: string): RowWriter {
  const present = createBulkPresenter(AS_NUMBERS, wallet)
  let isFirst = true
  return {
    begin: () => NOTHING,
    rows: (batch) => {
      const text = JSON.stringify(batch.map(present)).slice(1, -1)
      const separator = isFirst ? '' : ','
      isFirst = false
      return Buffer.from(separator + text)
    },
    end: () => NOTHING,
  }
}

function createNdjsonWriter(wallet?: string): RowWriter {
  const present = createBulkPresenter(AS_NUMBERS, wallet)
  return {
    begin: () => NOTHING,
    rows: (batch) => Buffer.from(batch.map((row) => `${JSON.stringify(present(row))}\n`).join('')),
    end: () => NOTHING,
  }
}

function createCsvWriter(wallet?: string): RowWriter {
  const present = createBulkPresenter(AS_NUMBERS, wallet)
  const columns = Object.keys(rowOf(wallet).properties)
  return {
    begin: () => Buffer.from(`${columns.join(',')}\r\n`),
    rows: (batch) => Buffer.from(batch.map((row) => toCsvLine(columns, present(row))).join('')),
    end: () => NOTHING,
  }
}

function createParquetWriter(wallet?: string): RowWriter {
  const present = createBulkPresenter(AS_MILLIONTHS, wallet)
  const file = new ParquetFile(parquetColumnsOf([rowOf(wallet)]))
  return {
    begin: () => file.begin(),
    rows: (batch) => file.rows(batch.map(present)),
    end: () => file.end(),
  }
}

const rowOf = (wallet: string | undefined): TObject => (wallet === undefined ? BulkTrade : WalletBulkTrade)

/** `wallet`: of an export of one wallet's trades. */
export const ROW_WRITERS: Record<RowFormatName, (wallet?: string) => RowWriter> = {
  json: createJsonWriter,
  csv: createCsvWriter,
  ndjson: createNdjsonWriter,
  parquet: createParquetWriter,
}

/** Most wallets trade fewer. */
const TOKENS_MAX = 10_000

type Amounts<Amount> = {
  amount: (millionths: bigint) => Amount
  price: (usd: bigint, shares: bigint) => Amount
}

/** For texts. */
const AS_NUMBERS: Amounts<number> = { amount: toDecimal, price: toPrice }

/** For Parquet, which has exact decimals. */
const AS_MILLIONTHS: Amounts<bigint> = {
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
function createBulkPresenter<Amount>(
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
    const isSell = (flags & 1) !== 0
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
      direction: sideOf((flags & 1) !== 0),
      price: price(usd, shares),
      shares: amount(shares),
      usd: amount(usd),
      fee: amount(feeInMoney({ fee, isFeeInShares: (flags & 4) !== 0, usd, shares })),
      is_taker_order: (flags & 2) !== 0,
      ...(wallet !== undefined && presentOwnSide(row)),
    }
  }
}

const sideOf = (isSell: boolean): 'BUY' | 'SELL' => (isSell ? 'SELL' : 'BUY')
