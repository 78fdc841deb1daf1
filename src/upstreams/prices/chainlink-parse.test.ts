import fc from 'fast-check'
import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { ParseError } from '../transport/parse-json.js'
import { type ChainlinkReport, decodeFullReport } from './chainlink-parse.js'

const FULL = parseAbiParameters('bytes32[3] context, bytes blob, bytes32[] rs, bytes32[] ss, bytes32 vs')
const V2 = parseAbiParameters(
  'bytes32 feedId, uint32 validFrom, uint32 observed, uint192 nativeFee, uint192 linkFee, uint32 expiresAt, int192 price',
)
const V3 = parseAbiParameters(
  'bytes32 feedId, uint32 validFrom, uint32 observed, uint192 nativeFee, uint192 linkFee, uint32 expiresAt, int192 price, int192 bid, int192 ask',
)

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array): Hex => {
    return `0x${Buffer.from(array).toString('hex')}`
  })
const int192 = fc.bigInt(-(1n << 191n), (1n << 191n) - 1n)
const uint32 = fc.nat(2 ** 32 - 1)

const reports = fc.record({
  version: fc.constantFrom<string>('0002', '0003'),
  id: hex(30),
  validFromSec: uint32,
  observedSec: uint32,
  expiresSec: uint32,
  fee: fc.bigInt(0n, (1n << 192n) - 1n),
  prices: fc.tuple(int192, int192, int192),
  signatures: fc.array(hex(32), { maxLength: 8 }),
  noise: hex(32),
})
type Parts = typeof reports extends fc.Arbitrary<infer T> ? T : never

function encode({ version, id, prices, signatures, noise, ...parts }: Parts) {
  const { validFromSec, observedSec, fee, expiresSec } = parts
  const [price, bid, ask] = prices
  const feedId: Hex = `0x${version}${id.slice(2)}`
  const head = [feedId, validFromSec, observedSec, fee, fee, expiresSec, price] as const
  const isV3 = version === '0003'
  const blob = isV3 ? encodeAbiParameters(V3, [...head, bid, ask]) : encodeAbiParameters(V2, [...head])
  const context = [noise, noise, noise] as const
  const full = encodeAbiParameters(FULL, [context, blob, signatures, signatures, noise])
  const expected: ChainlinkReport = {
    feedId,
    validFromSec,
    observedSec,
    price,
    bid: isV3 ? bid : undefined,
    ask: isV3 ? ask : undefined,
  }
  return { full, expected }
}

describe('reports', () => {
  test('of both versions decode to what was encoded', () => {
    fc.assert(
      fc.property(reports, (parts) => {
        const { full, expected } = encode(parts)
        expect(decodeFullReport(full)).toEqual(expected)
      }),
    )
  })

  test('that are cut short or changed decode, or throw a ParseError', () => {
    const changes = fc.tuple(reports, fc.nat(), fc.nat(), hex(1))
    fc.assert(
      fc.property(changes, ([parts, cut, offset, byte]) => {
        const { full } = encode(parts)
        const at = 2 + 2 * (offset % (full.length / 2 - 1))
        const changed = full.slice(0, at) + byte.slice(2) + full.slice(at + 2)
        for (const text of [full.slice(0, cut % full.length), changed]) {
          try {
            decodeFullReport(text)
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError)
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['no hex', 'report'],
    ['an unknown version', encodeWith({ version: '0004' })],
    ['a blob that is not there', `0x${'0'.repeat(64 * 7)}`],
  ])('refused: %s', (_name, text) => {
    expect(() => decodeFullReport(text)).toThrow(ParseError)
  })
})

function encodeWith(change: Partial<Parts>): string {
  const noise: Hex = `0x${'ab'.repeat(32)}`
  const parts: Parts = {
    version: '0003',
    id: `0x${'cd'.repeat(30)}`,
    validFromSec: 1,
    observedSec: 1,
    expiresSec: 1,
    fee: 1n,
    prices: [1n, 1n, 1n],
    signatures: [],
    noise,
  }
  return encode({ ...parts, ...change }).full
}
