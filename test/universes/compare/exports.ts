import { isTakerOrder, type ModelFill } from '../../trades/fill-model.js'
import { type Comparison, type Row, requestOf } from './comparison.js'
import { decimal, priceOf } from './numbers.js'

/** Before every universe. */
const FROM_SEC = 1_704_067_200
const KEY = ['tx_hash', 'order_hash']

/** All trades in one answer: of wallets in every view and text format, of tokens, of markets and of a day. */
export async function compareExports(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const fills = model.fills.filter(({ isCombo }) => !isCombo)
  const window = { from: FROM_SEC, to: model.head.timeSec }
  for (const [index, wallet] of sampled.wallets.entries()) {
    const path = `/v2/onchain/wallets/${wallet}/trades/all`
    const all = walletRows(fills, wallet)
    const answer = await comparison.get(path, window)
    if (answer !== undefined) compareExport(comparison, requestOf(path, window), answer, all)
    const own = fills.filter(({ maker }) => maker === wallet).map((fill) => exportRow(fill))
    const ownAnswer = await comparison.get(path, { ...window, view: 'own' })
    if (ownAnswer !== undefined) compareExport(comparison, `${path} view=own`, ownAnswer, own.reverse())
    if (index === 0) await compareFormats(comparison, path, window, all)
  }
  const taken = (isWanted: (fill: ModelFill) => boolean): Row[] =>
    fills
      .filter((fill) => isTakerOrder(fill) && isWanted(fill))
      .map((fill) => exportRow(fill))
      .reverse()
  for (const token of sampled.tokens.slice(0, 2)) {
    const path = `/v3/markets/${token}/trades/all`
    const query = { ...window, fills: 'taker' }
    const answer = await comparison.get(path, query)
    const expected = taken((fill) => fill.token === token)
    if (answer !== undefined) compareExport(comparison, requestOf(path, query), answer, expected)
  }
  const day = new Date(model.head.timeSec * 1000).toISOString().slice(0, 10)
  const query = { date: day, to: model.head.timeSec, fills: 'taker' }
  const answer = await comparison.get('/v3/trades/all', query)
  const expected = taken(({ timeSec }) => timeSec >= Date.parse(day) / 1000)
  if (answer !== undefined) compareExport(comparison, requestOf('/v3/trades/all', query), answer, expected)
}

function compareExport(comparison: Comparison, where: string, answer: Row, expected: readonly Row[]): void {
  comparison.same(where, answer, { count: expected.length, partial: false })
  comparison.rows(where, answer.trades as Row[], expected, { key: KEY })
}

/** Orders that rested from both sides. The log of the wallet's own order that took is not among them. */
function walletRows(fills: readonly ModelFill[], wallet: string): Row[] {
  const took = new Map(
    fills.flatMap((fill) => (fill.maker === wallet && isTakerOrder(fill) ? [[fill.txHash, fill]] : [])),
  )
  return fills
    .filter((fill) => !isTakerOrder(fill) && (fill.maker === wallet || fill.taker === wallet))
    .map((fill) => {
      const own = fill.maker === wallet ? fill : took.get(fill.txHash)
      const sells = own === undefined ? !fill.isSell : own.isSell
      const ownFields = {
        own_token_id: own?.token ?? fill.token,
        own_side: sells ? 'SELL' : 'BUY',
        own_size: decimal(fill.shares),
      }
      return { ...exportRow(fill), ...ownFields }
    })
    .reverse()
}

const exportRow = (fill: ModelFill): Row => ({
  tx_hash: fill.txHash,
  order_hash: fill.orderHash,
  timestamp: fill.timeSec,
  maker: fill.maker,
  taker: fill.taker,
  token_id: fill.token,
  direction: fill.isSell ? 'SELL' : 'BUY',
  price: priceOf(fill.usd, fill.shares),
  shares: decimal(fill.shares),
  usd: decimal(fill.usd),
  fee: decimal(fill.fee),
  is_taker_order: isTakerOrder(fill),
})

/** CSV and NDJSON have the same rows. No value of an export has a comma or a quote. */
async function compareFormats(
  comparison: Comparison,
  path: string,
  window: Record<string, number>,
  expected: readonly Row[],
): Promise<void> {
  const ndjson = await comparison.read(path, { ...window, format: 'ndjson' })
  if (ndjson !== undefined) {
    const rows = ndjson.split('\n').filter((line) => line !== '')
    comparison.rows(
      `${path} as NDJSON`,
      rows.map((line) => JSON.parse(line) as Row),
      expected,
      { key: KEY },
    )
  }
  const csv = await comparison.read(path, { ...window, format: 'csv' })
  if (csv === undefined) return
  const [head = '', ...lines] = csv.split('\r\n').filter((line) => line !== '')
  const columns = head.split(',')
  const rows = lines.map((line) => {
    const values = line.split(',')
    return Object.fromEntries(columns.map((column, index) => [column, values[index]]))
  })
  const texts = expected.map((row) =>
    Object.fromEntries(Object.entries(row).map(([field, value]) => [field, String(value)])),
  )
  comparison.rows(`${path} as CSV`, rows, texts, { key: KEY })
}
