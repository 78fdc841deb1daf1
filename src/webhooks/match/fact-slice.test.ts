import { expect, test } from 'vitest'
import { ALICE, BOB, CONDITION, EXCHANGE, makeFill, NO, word, YES } from '../../events/test-facts.js'
import { transact } from '../../store/transaction.js'
import { type FactSlice, openSlice } from './fact-slice.js'
import { outcomeOfToken } from './slice-markets.js'
import { insertTestMarket, TestFacts, timeOfBlock } from './test-facts.js'

const COMBO = `0x03${'1'.repeat(32)}0002${'0'.repeat(24)}`

function readSlice<T>(chain: TestFacts, afterSeq: number, read: (facts: FactSlice) => Promise<T>) {
  const range = {
    afterSeq,
    toSeq: chain.headSeq,
    headSeq: chain.headSeq,
    nowMs: 0,
    headTimeSec: timeOfBlock(chain.head),
    asksFor: () => true,
    isWatched: () => true,
  }
  return transact(chain.sql, (tx) => read(openSlice(tx, range)))
}

test('fills have natural ids, their number in the transaction, and what their maker did before', async () => {
  const chain = await TestFacts.open()
  await chain.append((at) => ({ fills: [makeFill(1, at(1, 'aa'))] }))
  const afterSeq = chain.headSeq
  const block = await chain.append((at) => ({
    fills: [
      makeFill(3, at(3, 'f1')),
      makeFill(4, { ...at(4, 'f1'), token: COMBO }),
      makeFill(5, {
        ...at(5, 'f1'),
        wallet: ALICE,
        taker: EXCHANGE,
        isTaker: true,
        side: 'BUY',
        builder: word('bd'),
        fee: 500_000n,
        isFeeInShares: true,
      }),
    ],
  }))
  const fills = await readSlice(chain, afterSeq, (facts) => facts.fills())
  expect(fills).toMatchObject([
    {
      timeSec: timeOfBlock(block),
      ordinal: 0,
      maker: BOB,
      taker: ALICE,
      isTaker: false,
      isSell: true,
      token: YES,
      usd: 16_000_000n,
      shares: 25_000_000n,
      fee: 0n,
      builder: null,
      orderHash: word('0d3'),
      txHash: word('f1'),
      isFirstOfMaker: false,
    },
    {
      ordinal: 1,
      maker: ALICE,
      taker: EXCHANGE,
      isTaker: true,
      isSell: false,
      builder: word('bd'),
      fee: 320_000n,
      isFirstOfMaker: true,
    },
  ])
})

test('markets are found by token and by condition, with the tags of their event', async () => {
  const chain = await TestFacts.open()
  await insertTestMarket(chain.sql)
  await readSlice(chain, 0, async ({ markets }) => {
    const byToken = await markets.ofTokens([NO, word('123')])
    const market = byToken(NO)
    expect(market).toEqual({
      conditionId: CONDITION,
      question: 'Will it rain?',
      slug: 'will-it-rain',
      eventSlug: 'weather',
      eventTitle: 'Weather',
      image: 'https://pictures.example/rain.png',
      tags: ['weather', 'world'],
      tagNames: ['weather', 'world', 'weather forecasts'],
      tokens: [YES, NO],
      outcomes: ['Yes', 'No'],
    })
    expect(market && outcomeOfToken(market, NO)).toBe('No')
    expect(byToken(word('123'))).toMatchObject({ conditionId: null, question: null, tags: [] })
    const byCondition = await markets.ofConditions([CONDITION, word('cc')])
    expect(byCondition(CONDITION)).toEqual(market)
    expect(byCondition(word('cc'))).toMatchObject({ conditionId: word('cc'), slug: null })
  })
})
