import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/until.js'
import { openRecording } from '../../books/recording/test-recording.js'
import { createExchange } from '../../books/test-exchange.js'
import { BOOKS } from './books-table.js'

type Shown = Record<string, string | bigint | null>

test('the books of a day, read from their rows alone, are those of the exchange, and a gap is a row', async () => {
  const exchange = createExchange({ intensity: 10 })
  const { universe } = exchange
  const recording = await openRecording({ onTestFinished }, { exchange, tokens: exchange.tokens.slice(0, 3) })
  await recording.pass(15)
  await recording.untilWritten()
  await recording.stop()
  universe.advance(universe.nowMs + 5_000)
  recording.start()
  await until(() => recording.recorder.tokens === recording.tokens.length)
  await recording.pass(10)
  const untilMs = universe.nowMs
  universe.advance(untilMs + 1)
  await recording.untilWritten()

  const fromSec = Math.floor(untilMs / 86_400_000) * 86_400
  const day = { day: '', fromSec, untilSec: fromSec + 86_400, fromBlock: 0, toBlock: 0, fromSeq: 0, toSeq: 0 }
  const books = new Map<string, Map<string, bigint>>()
  const gaps: Shown[] = []
  for await (const rows of BOOKS.rows(recording.sql, day)) {
    for (const values of rows) {
      const row = Object.fromEntries(BOOKS.columns.map(({ name }, index) => [name, values[index]])) as Shown
      const { token_id: token, kind, side, price, size } = row
      if (kind === 'gap' && books.has(`${token}`) && Number(row.until) / 1_000 < untilMs) gaps.push(row)
      if (kind === 'whole') books.set(`${token}`, new Map())
      if (kind === 'whole_level' || kind === 'level')
        books.get(`${token}`)?.set(`${side} ${price}`, BigInt(size ?? 0))
    }
  }
  expect(gaps.map(({ token_id: token }) => token).toSorted()).toEqual(recording.tokenIds.toSorted())
  for (const token of recording.tokens) {
    const { bids = [], asks = [] } = universe.books.book(token) ?? {}
    const levelsOf = (side: string, levels: typeof bids) =>
      levels.map(({ priceE4, sizeE2 }): [string, bigint] => [
        `${side} ${priceE4 * 100}`,
        BigInt(sizeE2) * 10_000n,
      ])
    const found = [...(books.get(token.decimal) ?? [])].filter(([, size]) => size > 0n)
    expect(found.toSorted()).toEqual([...levelsOf('BUY', bids), ...levelsOf('SELL', asks)].toSorted())
  }
})
