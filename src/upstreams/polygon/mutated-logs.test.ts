import fc from 'fast-check'
import type { AbiEvent } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  addressAt,
  arrayAt,
  boolAt,
  bytesAt,
  DecodeError,
  fixedBytesAt,
  intAt,
  isHex,
  START,
  smallAt,
  uintAt,
  WORD,
  wordAt,
} from './abi.js'
import { LogDecoder } from './decode.js'
import type { ChainLog } from './log.js'
import { type Arguments, argumentsOf, EVENTS, encode, expectedEvent, parse } from './test-events.js'

const decoder = new LogDecoder()

/** Something goes wrong with a good log: a character, a word, the length, a topic, or nothing. */
const damage: fc.Arbitrary<(log: ChainLog) => ChainLog> = fc.oneof(
  fc.constant((log: ChainLog) => log),
  fc
    .tuple(fc.nat(), fc.constantFrom(...'0123456789abcdefABCDEFg/:`@x é٣', '\u0130', '\ud800', '\0'))
    .map(([at, character]) => inData(at, character)),
  fc
    .tuple(fc.nat(), fc.constantFrom('0', '1', '2', '20', '21', '40', '5f', '60', '80', 'ffff', '10000'))
    .map(([word, value]) => (log: ChainLog) => {
      const words = (log.data.length - START) / WORD
      const at = START + (word % Math.max(words, 1)) * WORD
      return { ...log, data: paste(log.data, at, value.padStart(WORD, '0')) }
    }),
  fc
    .tuple(fc.nat(), fc.nat({ max: 23 }))
    .map(([word, digit]) => inData(START + (word % 8) * WORD + digit, '1')),
  fc.nat().map((length) => (log: ChainLog) => ({
    ...log,
    data: log.data.slice(0, length % (log.data.length + 1)),
  })),
  fc.constantFrom('0', '00', '0'.repeat(WORD)).map((more) => (log: ChainLog) => ({
    ...log,
    data: log.data + more,
  })),
  fc
    .tuple(fc.nat(), fc.nat(), fc.constantFrom('1', 'A', 'g', 'é', '', '\u0130', '00'))
    .map(([which, at, text]) => inTopic(which, at, text)),
  fc.constant((log: ChainLog) => ({ ...log, topics: log.topics.slice(0, -1) })),
)

describe('a damaged log is decoded as word by word, or refused', () => {
  test.each(EVENTS)('$role $kind', ({ role, signature }) => {
    const item = parse(signature)
    fc.assert(
      fc.property(argumentsOf(item), damage, (args, hurt) => {
        const good = encode(role, item, args)
        // From now on its words are cached.
        decoder.decode(good)
        const log = hurt(good)
        if (log.topics.length === 0) return
        const expected = outcomeOf(() => expectedEvent(item, decodeSlowly(item, log)))
        const event = outcomeOf(() => decoder.decode(log))
        if (expected === REFUSED) expect(event).toBe(REFUSED)
        else expect(event).toMatchObject(expected)
      }),
      { numRuns: 40 },
    )
  })
})

test('data that no field points to may hold anything', () => {
  const { role, signature } = EVENTS.find(({ kind }) => kind === 'transferBatch') ?? {}
  const item = parse(signature ?? '')
  const args = { operator: addressOf(1), from: addressOf(2), to: addressOf(3) }
  const good = encode(role ?? 'erc20', item, { ...args, ids: [5n, 6n], values: [7n, 8n] })
  const word = (value: number) => value.toString(16).padStart(WORD, '0')
  for (const junk of ['é'.repeat(WORD), 'é'.padStart(WORD, '0'), 'zz'.padEnd(WORD, '٣')]) {
    const arrays = good.data.slice(START + 2 * WORD)
    const data = `0x${word(0x60)}${word(0xc0)}${junk}${arrays}`
    expect(decoder.decode({ ...good, data })).toEqual(decoder.decode(good))
  }
})

test('wallets that share a cache slot do not share a name', () => {
  const erc20 = EVENTS.find(({ kind }) => kind === 'erc20Transfer')
  const item = parse(erc20?.signature ?? '')
  const good = encode('pusd', item, {
    from: addressOf(0),
    to: addressOf(0),
    amount: 1n,
  })
  for (let seed = 0; seed < 100_000; seed++) {
    const [from, to] = [addressOf(seed * 7), addressOf(seed % 1_000)]
    const topics = [good.topics[0] ?? '', ...[from, to].map((each) => `0x${'0'.repeat(24)}${each.slice(2)}`)]
    const event = decoder.decode({ ...good, topics })
    if (event?.kind !== 'erc20Transfer' || event.from !== from || event.to !== to)
      expect([seed, event]).toMatchObject([seed, { from, to }])
  }
})

function addressOf(seed: number): `0x${string}` {
  return `0x${Math.imul(seed, 0x9e3779b1).toString(16).replace('-', 'a').padStart(40, '0')}`
}

const REFUSED: object = { refused: true }

function outcomeOf(work: () => object | undefined): object {
  try {
    return work() ?? {}
  } catch (error) {
    if (error instanceof DecodeError) return REFUSED
    throw error
  }
}

/** One reader for each type, each of which checks what it takes, one word after the other. */
function decodeSlowly(item: AbiEvent, { topics, data }: ChainLog): Arguments {
  const indexed = item.inputs.filter((input) => input.indexed === true)
  const plain = item.inputs.filter((input) => input.indexed !== true)
  if (topics.length !== indexed.length + 1) throw new DecodeError('topics')
  const isDynamic = plain.some(({ type }) => type.endsWith('[]') || type === 'bytes')
  const length = START + plain.length * WORD
  if (!data.startsWith('0x') || data.length % 2 !== 0) throw new DecodeError('data')
  if (isDynamic ? data.length < length : data.length !== length) throw new DecodeError('length')
  const args: Arguments = {}
  for (const [index, { name = '', type }] of indexed.entries()) {
    const topic = topics[index + 1] ?? ''
    if (!isHex(topic, 32)) throw new DecodeError('topic')
    args[name] = readAs(type, topic, START)
  }
  for (const [index, { name = '', type }] of plain.entries())
    args[name] = readAs(type, data, START + index * WORD)
  checkTrade(item, args)
  return args
}

function readAs(type: string, hex: string, at: number): unknown {
  if (type.endsWith('[]'))
    return arrayAt(hex, at, START, (text, itemAt) => readAs(type.slice(0, -2), text, itemAt))
  switch (type) {
    case 'address':
      return addressAt(hex, at)
    case 'bool':
      return boolAt(hex, at)
    case 'uint8':
      return smallAt(hex, at)
    case 'uint256':
      return uintAt(hex, at)
    case 'int256':
      return intAt(hex, at)
    case 'bytes':
      return bytesAt(hex, at, START)
    case 'bytes32':
      return wordAt(hex, at)
    default:
      return fixedBytesAt(hex, at, Number(type.replace('bytes', '')))
  }
}

/** What trades promise beyond the types of their fields. */
function checkTrade({ name }: AbiEvent, { side, makerAssetId, takerAssetId }: Arguments): void {
  if (name !== 'OrderFilled' && name !== 'OrdersMatched') return
  if (side !== undefined && Number(side) > 1) throw new DecodeError('side')
  if (makerAssetId !== undefined && (makerAssetId === 0n) === (takerAssetId === 0n))
    throw new DecodeError('money')
}

function inData(at: number, text: string) {
  return (log: ChainLog) => ({ ...log, data: paste(log.data, at % log.data.length, text) })
}

function inTopic(which: number, at: number, text: string) {
  return (log: ChainLog) => ({
    ...log,
    topics: log.topics.map((topic, index) =>
      index > 0 && index === 1 + (which % Math.max(log.topics.length - 1, 1))
        ? topic.slice(0, at % topic.length) + text + topic.slice((at % topic.length) + 1)
        : topic,
    ),
  })
}

function paste(text: string, at: number, part: string): string {
  return text.slice(0, at) + part + text.slice(at + part.length)
}
