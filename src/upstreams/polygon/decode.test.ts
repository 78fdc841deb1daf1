import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { DecodeError, ZERO_WORD } from './abi.js'
import { CONTRACTS } from './contracts.js'
import { LogDecoder } from './decode.js'
import { questionIdOf } from './decode-oracle.js'
import { ROLE_EVENTS } from './events.js'
import { type ChainLog, parseLogs } from './log.js'

const decoder = new LogDecoder()

type Vector = {
  id: string
  address: string
  topics: string[]
  data: string
  blockNumber?: number
  blockTimestamp?: number
  transactionHash?: string
  logIndex?: number
  decoded: Record<string, unknown>
  derived?: Record<string, string>
}

type Question = { ancillary_data_utf8?: string; question_id: string }

const VECTORS: { logs: Vector[]; question_ids: Question[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/chain-vectors.json'), 'utf8'),
)

const TOPICS = Object.values(ROLE_EVENTS).flatMap((events) => events.map(({ topic0 }) => topic0))

test('the hash of the ancillary data is the id of the question', () => {
  const published = VECTORS.question_ids.filter((each) => each.ancillary_data_utf8 !== undefined)
  expect(published).toHaveLength(1)
  for (const { ancillary_data_utf8 = '', question_id } of published)
    expect(questionIdOf(toHex(ancillary_data_utf8))).toBe(question_id)
})

describe('public logs', () => {
  const fills = VECTORS.logs.filter(({ derived }) => derived !== undefined)
  const matches = VECTORS.logs.filter(({ id }) => /matched$/.test(id))
  const others = VECTORS.logs.filter((each) => !fills.includes(each) && !matches.includes(each))

  test.each(fills)('$id is a fill', ({ derived = {}, ...vector }) => {
    expect(decoder.decode(toLog(vector))).toEqual({
      kind: 'fill',
      at: toLog(vector).at,
      generation: vector.id.startsWith('v1') ? 1 : 2,
      orderHash: derived.order_hash,
      maker: derived.maker,
      taker: derived.taker,
      isTaker: derived.role === 'taker_order',
      side: derived.direction,
      tokenId: toWord(derived.token_id),
      usd: toMicros(derived.usd),
      shares: toMicros(derived.shares),
      fee: toMicros(derived.fee_raw),
      builder: derived.builder ?? ZERO_WORD,
      metadata: derived.metadata ?? ZERO_WORD,
    })
  })

  test.each(matches)('$id repeats the BUY of the taker', ({ decoded, ...vector }) => {
    expect(decoder.decode(toLog({ decoded, ...vector }))).toMatchObject({
      kind: 'ordersMatched',
      orderHash: decoded.takerOrderHash,
      maker: decoded.takerOrderMaker,
      side: 'BUY',
      tokenId: toWord(String(decoded.tokenId ?? decoded.takerAssetId)),
      usd: BigInt(String(decoded.makerAmountFilled)),
      shares: BigInt(String(decoded.takerAmountFilled)),
    })
  })

  test.each(others)('$id', ({ decoded, ...vector }) => {
    const event = decoder.decode(toLog({ decoded, ...vector })) as Record<string, unknown> | undefined
    for (const [name, value] of Object.entries(decoded)) {
      const ours = event?.kind === 'erc20Transfer' && name === 'value' ? 'amount' : name
      expect([name, show(event?.[ours])]).toEqual([name, show(value)])
    }
  })

  test('a log keeps its position on the chain', () => {
    const vector = VECTORS.logs.find(({ id }) => id === 'v2-maker-sell') as Vector
    expect(decoder.decode(toLog(vector))?.at).toEqual({
      address: vector.address,
      blockNumber: vector.blockNumber,
      blockHash: ZERO_WORD,
      txHash: vector.transactionHash,
      txIndex: 0,
      logIndex: vector.logIndex,
      timestampSec: vector.blockTimestamp,
    })
  })
})

describe('bad logs', () => {
  const fill = toLog(VECTORS.logs.find(({ id }) => id === 'v2-maker-sell') as Vector)
  const batch = toLog(VECTORS.logs.find(({ id }) => id === 'v2-mint-09-batch-mint') as Vector)
  const v1 = toLog(VECTORS.logs.find(({ id }) => id === 'v1-nr-complementary-maker') as Vector)
  const word = (index: number, value: string, log = fill) =>
    log.data.slice(0, 2 + index * 64) + value.padStart(64, '0') + log.data.slice(66 + index * 64)

  test.each([
    ['a topic is missing', { ...fill, topics: fill.topics.slice(0, 3) }],
    ['there is a topic too many', { ...fill, topics: [...fill.topics, ZERO_WORD] }],
    ['a topic is short', { ...fill, topics: fill.topics.map((t, i) => (i ? t.slice(0, 64) : t)) }],
    ['the data is short', { ...fill, data: fill.data.slice(0, -64) }],
    ['the data is long', { ...fill, data: `${fill.data}00` }],
    ['the data has an odd number of digits', { ...fill, data: fill.data.slice(0, -1) }],
    ['there is no data', { ...fill, data: '0x' }],
    ['the data is no hex', { ...fill, data: word(1, 'g'.repeat(64)) }],
    ['an amount is no hex', { ...fill, data: word(2, 'é') }],
    ['a digit is upper case', { ...fill, data: word(1, 'A'.repeat(64)) }],
    ['the side is none', { ...fill, data: word(0, '2') }],
    ['an address is not padded', { ...fill, topics: fill.topics.map((t) => t.replace('0x0', '0x1')) }],
    ['money is on no side', { ...v1, data: word(1, '1', v1) }],
    ['money is on both sides', { ...v1, data: word(0, '0', v1) }],
    ['an offset points past the end of the data', { ...batch, data: word(0, 'fff0', batch) }],
    ['an offset is absurd', { ...batch, data: word(1, 'f'.repeat(64), batch) }],
    ['an array is absurdly long', { ...batch, data: word(2, 'ffffffffffff', batch) }],
    ['an array is a bit too long', { ...batch, data: word(5, '3', batch) }],
  ])('refused: %s', (_why, log) => {
    expect(() => decoder.decode(log)).toThrow(DecodeError)
  })

  test('a log of another contract is not ours', () => {
    expect(decoder.decode({ ...fill, at: { ...fill.at, address: `0x${'1'.repeat(40)}` } })).toBeUndefined()
  })

  test('an event without a decoder is kept as it is', () => {
    const topics = [`0x${'ab'.repeat(32)}`]
    expect(decoder.decode({ ...fill, topics })).toEqual({
      kind: 'unknown',
      at: fill.at,
      topics,
      data: fill.data,
    })
    expect(decoder.decode({ ...fill, topics: [] })?.kind).toBe('unknown')
  })

  test('the same hash means another event in another contract', () => {
    const topic0 = '0x5c3937ed929cd157b73b417381d743daf6e1ef65999e3ccb5dd64bc3247e28d6'
    const of = (address: string, topics: string[], data: string) =>
      decoder.decode({ ...fill, at: { ...fill.at, address }, topics: [topic0, ...topics], data })
    const yes = `0x${'1'.padStart(64, '0')}`
    const operator = '0x71523d0f655b41e805cec45b17163f528b59b820'
    const adapter = '0xcb1822859cef82cd2eb4e6276c7916e692995130'
    expect(of(operator, [ZERO_WORD], yes)).toMatchObject({ kind: 'operatorQuestionResolved' })
    expect(of(adapter, [ZERO_WORD, yes], '0x')).toMatchObject({ kind: 'questionResolvedV1' })
    expect(() => of(adapter, [ZERO_WORD], yes)).toThrow(DecodeError)
  })

  test('one broken log stops no other', () => {
    const { events, broken } = decoder.decodeAll([fill, { ...fill, data: '0x' }, fill])
    expect(events).toHaveLength(2)
    expect(broken).toEqual([{ log: { ...fill, data: '0x' }, error: expect.any(DecodeError) }])
  })

  test('whatever a log holds, nothing but DecodeError is thrown', () => {
    const topic0 = fc.constantFrom(...TOPICS, 'junk', '')
    const junkWord = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 70 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes)),
      fc.nat({ max: 300 }).map((value) => toHex(value, { size: 32 })),
    )
    const junkData = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(junkWord, { maxLength: 12 }).map((words) => `0x${words.map((w) => w.slice(2)).join('')}`),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...CONTRACTS),
        topic0,
        fc.array(junkWord, { maxLength: 4 }),
        junkData,
        ({ address }, first, topics, data) => {
          const log = { ...fill, at: { ...fill.at, address }, topics: [first, ...topics], data }
          try {
            decoder.decode(log)
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError)
          }
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

function toLog(vector: Vector): ChainLog {
  const raw = {
    address: vector.address,
    topics: vector.topics,
    data: vector.data,
    blockNumber: toHex(vector.blockNumber ?? 1),
    blockHash: ZERO_WORD,
    transactionHash: vector.transactionHash ?? ZERO_WORD,
    transactionIndex: '0x0',
    logIndex: toHex(vector.logIndex ?? 0),
    ...(vector.blockTimestamp !== undefined && { blockTimestamp: toHex(vector.blockTimestamp) }),
  }
  return parseLogs([raw], 'logs')[0] as ChainLog
}

const toWord = (value: string | undefined) => toHex(BigInt(value ?? 0), { size: 32 })

function toMicros(decimal: string | undefined): bigint {
  const [whole = '0', fraction = ''] = (decimal ?? '0').split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

/** Published fields are decimal strings and hex; ours are bigint and hex: both as one kind of text. */
function show(value: unknown): string {
  if (Array.isArray(value)) return value.map(show).join(',')
  const text = String(value)
  return /^(0x[0-9a-f]+|\d+)$/.test(text) ? BigInt(text).toString() : text
}
