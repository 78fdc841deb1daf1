import { decodeEventLog, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { encodeAct } from '../contracts/encode.js'
import { SIGNATURES } from '../contracts/test-abi.js'
import { TOPIC } from '../contracts/topics.js'
import type { Act } from './acts.js'
import { Catalogue } from './catalogue.js'
import { Fair } from './fair.js'
import type { Market } from './market.js'
import { Oracle, oracleLife } from './oracle.js'
import { Prices } from './prices.js'

const SEED = 5
const START_MS = Date.UTC(2026, 10, 12)
const LIVENESS_SEC = 7_200

const prices = new Prices(SEED)
const fair = new Fair(SEED, prices)
const markets = new Catalogue({ seed: SEED, startMs: START_MS, v1StartMs: START_MS, prices })
  .extendTo(START_MS + 7 * 86_400_000)
  .filter(({ window }) => window === undefined)
  .flatMap((event) => event.markets)

/** What the oracle's contracts say of a market from its first question to its result. */
function decodeLife(market: Market) {
  const oracle = new Oracle(SEED, fair)
  const life = oracleLife(SEED, market)
  if (life === undefined) throw new Error('a market that is answered by a feed')
  const sec = (atMs: number) => Math.ceil(atMs / 1000)
  const acts: Act[] = oracle.ask(market.event, 'v2', sec(market.createdMs))
  if (life.disputed !== undefined) {
    acts.push(oracle.propose(market, sec(life.disputed.proposedMs)))
    acts.push(oracle.dispute(market, sec(life.disputed.disputedMs)))
  }
  acts.push(oracle.propose(market, sec(life.proposedMs)), oracle.resolve(market))
  return acts.filter((act) => 'market' in act && act.market === market).flatMap(decode)
}

const KINDS = [
  'requestPrice',
  'proposePrice',
  'disputePrice',
  'settle',
  'questionReset',
  'questionResolved',
] as const
const abi = parseAbi(KINDS.map((kind) => SIGNATURES[kind]))

type DecodedLog = { name: string; [field: string]: unknown }

/** The logs of these kinds. */
function decode(act: Act): DecodedLog[] {
  return encodeAct(act)
    .filter(({ topics }) => KINDS.some((kind) => TOPIC[kind] === topics[0]))
    .map(({ topics, data }) => {
      const log = { abi, topics, data } as Parameters<typeof decodeEventLog>[0]
      const { eventName, args } = decodeEventLog(log)
      return { name: String(eventName), ...args }
    })
}

describe('a question before the oracle', () => {
  const isDisputed = (market: Market) => oracleLife(SEED, market)?.disputed !== undefined

  test('is answered once, and settled after the answer stood for its time', () => {
    const market = markets.find((each) => !isDisputed(each))
    if (market === undefined) throw new Error('every market is disputed')
    const [request, proposal, settlement, result, ...rest] = decodeLife(market)
    expect(rest).toEqual([])
    expect(request).toMatchObject({
      name: 'RequestPrice',
      timestamp: BigInt(Math.ceil(market.createdMs / 1000)),
    })
    const timestamp = request?.timestamp
    expect(proposal).toMatchObject({ name: 'ProposePrice', timestamp })
    expect(settlement).toMatchObject({
      name: 'Settle',
      timestamp,
      price: proposal?.proposedPrice,
      proposer: proposal?.proposer,
      disputer: `0x${'0'.repeat(40)}`,
    })
    expect(result).toMatchObject({ name: 'QuestionResolved', settledPrice: settlement?.price })
  })

  test('is put again when its answer is disputed, and the new question is what is settled', () => {
    const market = markets.find(isDisputed)
    if (market === undefined) throw new Error('no market is disputed')
    const logs = decodeLife(market)
    expect(logs.map(({ name }) => name)).toEqual([
      'RequestPrice',
      'ProposePrice',
      'DisputePrice',
      'RequestPrice',
      'QuestionReset',
      'ProposePrice',
      'Settle',
      'QuestionResolved',
    ])
    const [first, wrong, dispute, second, , right, settlement] = logs
    expect([wrong?.timestamp, dispute?.timestamp]).toEqual([first?.timestamp, first?.timestamp])
    expect([right?.timestamp, settlement?.timestamp]).toEqual([second?.timestamp, second?.timestamp])
    expect(second?.timestamp).toBe(
      BigInt(Math.ceil((oracleLife(SEED, market)?.disputed?.disputedMs ?? 0) / 1000)),
    )
    expect(dispute?.proposedPrice).toBe(wrong?.proposedPrice)
    expect(wrong?.proposedPrice).not.toBe(right?.proposedPrice)
    expect(settlement).toMatchObject({
      price: right?.proposedPrice,
      disputer: `0x${'0'.repeat(40)}`,
    })
  })

  test('an answer comes after the end of trading, and counts two hours later', () => {
    for (const market of markets) {
      const life = oracleLife(SEED, market)
      const stations = [
        market.endMs,
        life?.disputed?.proposedMs,
        life?.disputed?.disputedMs,
        life?.proposedMs,
      ].filter((atMs) => atMs !== undefined)
      expect(stations).toEqual(stations.toSorted((a, b) => a - b))
      const proposal = decodeLife(market).findLast(({ name }) => name === 'ProposePrice')
      const expiresSec = Number(proposal?.expirationTimestamp)
      expect(expiresSec).toBe(Math.ceil((life?.proposedMs ?? 0) / 1000) + LIVENESS_SEC)
      expect(expiresSec).toBeLessThan(market.resolvesMs / 1000)
    }
  })

  test('a dispute that was reverted can happen again', () => {
    const market = markets.find(isDisputed)
    if (market === undefined) throw new Error('no market is disputed')
    const oracle = new Oracle(SEED, fair)
    oracle.ask(market.event, 'v2', 1_000)
    const dispute = oracle.dispute(market, 2_000)
    oracle.undo(dispute)
    expect(oracle.dispute(market, 2_000)).toEqual(dispute)
    const resolve = oracle.resolve(market)
    expect(resolve).toMatchObject({ askedSec: 2_000 })
    oracle.undo(resolve)
    expect(oracle.resolve(market)).toEqual(resolve)
  })
})
