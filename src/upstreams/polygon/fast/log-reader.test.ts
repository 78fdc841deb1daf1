import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addressAt,
  arrayAt,
  bytesAt,
  DecodeError,
  isHex,
  START,
  smallAt,
  uintAt,
  WORD,
  wordAt,
} from '../abi.js'
import { LogReader } from './log-reader.js'

const REFUSED = 'refused'

function outcomeOf<T>(decode: () => T): T | typeof REFUSED {
  try {
    return decode()
  } catch (error) {
    if (error instanceof DecodeError) return REFUSED
    throw error
  }
}

/** Every way to read the data, by the reader and by its plain twin in `abi.ts`. */
const DATA = {
  address: [(log: LogReader, at: number) => log.address(at), addressAt],
  id: [(log: LogReader, at: number) => log.id(at), wordAt],
  uint: [(log: LogReader, at: number) => log.uint(at), uintAt],
  small: [(log: LogReader, at: number) => log.small(at), smallAt],
  bytes: [(log: LogReader, at: number) => log.bytes(at), (data, at) => bytesAt(data, at, START)],
  uints: [
    (log: LogReader, at: number) => log.array(at, (_, itemAt) => log.uint(itemAt)),
    (data, at) => arrayAt(data, at, START, uintAt),
  ],
  ids: [
    (log: LogReader, at: number) => log.array(at, (_, itemAt) => log.id(itemAt)),
    (data, at) => arrayAt(data, at, START, wordAt),
  ],
} as const satisfies Record<
  string,
  [(log: LogReader, at: number) => unknown, (data: string, at: number) => unknown]
>

const TOPICS = {
  address: [(log: LogReader) => log.topicAddress(1), (topic) => addressAt(topic, START)],
  id: [(log: LogReader) => log.topicId(1), (topic) => wordAt(topic, START)],
  hash: [(log: LogReader) => log.topicHash(1), (topic) => (isHex(topic, 32) ? topic : REFUSED)],
  uint: [(log: LogReader) => log.topicAs(1, uintAt), (topic) => uintAt(topic, START)],
} as const satisfies Record<string, [(log: LogReader) => unknown, (topic: string) => unknown]>

/** Words as logs have them: few different ones, numbers of all sizes, offsets into the data. */
const word = fc.oneof(
  fc.constantFrom('0', '1', '20', '40', '60', '48', 'ffffffff', 'f'.repeat(64)),
  fc.constantFrom('abcdef0123'.repeat(4), '9'.repeat(64), 'deadbeef'.repeat(8)),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat({ max: 64 }))
    .map(([value, count]) => value.toString(16).slice(0, count)),
)
const padded = word.map((text) => text.padStart(WORD, '0'))

/** Now and then one character is another: a capital, no digit, or not even ASCII. */
const spoiled = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.option(fc.tuple(fc.nat(), fc.constantFrom('A', 'g', ' ', ':', 'é', '€')), { freq: 4 }))
    .map(([whole, change]) => {
      if (change === null || whole.length === 0) return whole
      const [offset, character] = change
      const at = offset % whole.length
      return whole.slice(0, at) + character + whole.slice(at + 1)
    })

describe('LogReader', () => {
  // One reader for all: what a log leaves in the buffer or in a cache must not show in the next.
  const reader = new LogReader()

  test('reads every word of the data as abi.ts does, wherever it begins', () => {
    const data = spoiled(fc.array(padded, { minLength: 1, maxLength: 12 }).map((all) => all.join('')))
    fc.assert(
      fc.property(data, fc.nat({ max: 3 }), (text, shift) => {
        const hex = `0x${text}`
        reader.layOut([], hex)
        const offsets: number[] = []
        for (let at = START + shift; at + WORD <= hex.length; at += WORD) offsets.push(at)
        for (const [fast, plain] of Object.values(DATA))
          expect(offsets.map((at) => outcomeOf(() => fast(reader, at)))).toEqual(
            offsets.map((at) => outcomeOf(() => plain(hex, at))),
          )
      }),
      { numRuns: 500 },
    )
  })

  test('reads data that is longer than its buffer as abi.ts does', () => {
    const hex = `0x${'0123456789abcdef'.repeat(4 * 600)}`
    reader.layOut([], hex)
    expect(reader.id(START + 512 * WORD)).toBe(wordAt(hex, START + 512 * WORD))
    expect(reader.uint(START)).toBe(uintAt(hex, START))
  })

  test('reads every topic as abi.ts does', () => {
    fc.assert(
      fc.property(spoiled(padded), (text) => {
        const topic = `0x${text}`
        reader.layOut(['0x', topic], '0x')
        for (const [name, [fast, plain]] of Object.entries(TOPICS))
          expect([name, outcomeOf(() => fast(reader))]).toEqual([name, outcomeOf(() => plain(topic))])
      }),
      { numRuns: 500 },
    )
  })

  test.each(['', '0x', `0x${'0'.repeat(63)}`, `0x${'0'.repeat(65)}`, '0'.repeat(66)])(
    'a topic "%s" is refused',
    (topic) => {
      reader.layOut(['0x', topic], '0x')
      for (const [fast] of Object.values(TOPICS)) expect(outcomeOf(() => fast(reader))).toBe(REFUSED)
    },
  )
})
