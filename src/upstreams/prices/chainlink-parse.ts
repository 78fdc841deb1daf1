import {
  ParseError,
  parseArray,
  parseEncoded,
  parseInteger,
  parseObject,
  parseOptional,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'
import { type ChainlinkFeed, scaleToE18 } from './chainlink-feeds.js'
import { formatE18, parseTimestampMs } from './parse-fields.js'
import type { PriceTick } from './source.js'

/** Feeds by their id. */
export type ChainlinkFeedMap = ReadonlyMap<string, ChainlinkFeed>

/** `undefined`: a feed that is not ours. Throws a ParseError on a malformed message. */
export function parseReportFrame(
  text: string,
  feeds: ChainlinkFeedMap,
  nowMs: number,
): PriceTick | undefined {
  return parseEncoded(text, 'frame', (frame) =>
    parseReport(parseObject(frame, 'frame').report, 'report', feeds, nowMs),
  )
}

/** A page of reports, oldest first. */
export function parseReportPage(
  body: unknown,
  path: string,
  feeds: ChainlinkFeedMap,
  nowMs: number,
): PriceTick[] {
  const { reports } = parseObject(body, path)
  const parseItem = (item: unknown, at: string) => parseReport(item, at, feeds, nowMs)
  const ticks = parseArray(reports, `${path}.reports`, parseItem)
  return ticks.filter((tick) => tick !== undefined).sort((a, b) => a.timestampMs - b.timestampMs)
}

/** What stands beside the report must agree with what is in it: it alone is what Chainlink signed. */
function parseReport(
  value: unknown,
  path: string,
  feeds: ChainlinkFeedMap,
  nowMs: number,
): PriceTick | undefined {
  const outer = parseObject(value, path)
  const feedId = parseString(outer.feedID, `${path}.feedID`).toLowerCase()
  const feed = feeds.get(feedId)
  if (feed === undefined) return undefined

  const inner = decodeFullReport(parseString(outer.fullReport, `${path}.fullReport`))
  if (inner.feedId !== feedId) refuseValue(`${path}.feedID`, inner.feedId, outer.feedID)
  const timePath = `${path}.observationsTimestamp`
  const shownSec = parseOptional(outer.observationsTimestamp, timePath, parseInteger)
  if (shownSec !== undefined && shownSec !== inner.observedSec)
    refuseValue(timePath, String(inner.observedSec), shownSec)

  const priceE18 = toE18(inner.price, feed, `${path}.price`)
  return {
    coin: feed.coin,
    kind: feed.kind,
    source: 'chainlink',
    provider: 'chainlink',
    timestampMs: parseTimestampMs(inner.observedSec * 1_000, timePath, nowMs),
    price: formatE18(priceE18),
    priceE18,
    ...(inner.bid !== undefined && { bid: formatE18(toE18(inner.bid, feed, `${path}.bid`)) }),
    ...(inner.ask !== undefined && { ask: formatE18(toE18(inner.ask, feed, `${path}.ask`)) }),
    receivedMs: nowMs,
  }
}

function toE18(amount: bigint, feed: ChainlinkFeed, path: string): bigint {
  const e18 = scaleToE18(amount, feed.decimals)
  return e18 > 0n ? e18 : refuseValue(path, 'a positive price', String(amount))
}

/** Prices as they stand in the report: integers with the decimals of the feed. */
export type ChainlinkReport = {
  /** 0x and 64 hex digits, lower-case. The first two bytes are the version of the schema. */
  feedId: string
  validFromSec: number
  observedSec: number
  price: bigint
  /** Only version 3 has them. */
  bid: bigint | undefined
  ask: bigint | undefined
}

const WORD_BYTES = 32

/** Words before the parts of variable length: three of context, three offsets, the packed v's. */
const BLOB_OFFSET_WORD = 3
const HEAD_WORDS = 7

/** Feed id, two times, two fees, the expiry; then the prices. */
const PRICE_WORD = 6
const BLOB_WORDS: ReadonlyMap<string, number> = new Map([
  ['0002', PRICE_WORD + 1],
  ['0003', PRICE_WORD + 3],
])

/**
 * Decodes `(bytes32[3] context, bytes blob, bytes32[] rs, bytes32[] ss, bytes32 vs)` and the blob in
 * it. The signatures are not checked: reports come from Chainlink's own host. Throws a ParseError.
 */
export function decodeFullReport(hex: string): ChainlinkReport {
  // Ends before the first character that is no digit.
  const report = Buffer.from(hex.slice(2), 'hex')
  const isHex = hex.startsWith('0x') && report.length * 2 === hex.length - 2
  if (!isHex || report.length === 0 || report.length % WORD_BYTES !== 0)
    throw new ParseError('fullReport must be hex words')
  const at = parseOffset(report, BLOB_OFFSET_WORD)
  const length = parseSmall(report, at, 'the length of the blob')
  const blob = report.subarray((at + 1) * WORD_BYTES, (at + 1) * WORD_BYTES + length)

  const version = blob.toString('hex', 0, 2)
  const words = BLOB_WORDS.get(version)
  if (words === undefined) throw new ParseError(`fullReport has the unknown version ${version}`)
  if (blob.length < words * WORD_BYTES) throw new ParseError('fullReport ends too early')
  const isV3 = version === '0003'
  return {
    feedId: `0x${blob.toString('hex', 0, WORD_BYTES)}`,
    validFromSec: parseSmall(blob, 1, 'validFromTimestamp'),
    observedSec: parseSmall(blob, 2, 'observationsTimestamp'),
    price: parseInt192(blob, PRICE_WORD),
    bid: isV3 ? parseInt192(blob, PRICE_WORD + 1) : undefined,
    ask: isV3 ? parseInt192(blob, PRICE_WORD + 2) : undefined,
  }
}

/** The last 32 bits of a word, which must be all of it. */
function parseSmall(bytes: Buffer, index: number, name: string): number {
  const [first, second, third, last] = quartersOf(bytes, index)
  if (first !== 0n || second !== 0n || third !== 0n || last >> 32n !== 0n)
    throw new ParseError(`fullReport: ${name} must have 32 bits`)
  return Number(last)
}

/** An offset in bytes, as the index of a word after the head. */
function parseOffset(bytes: Buffer, index: number): number {
  const offset = parseSmall(bytes, index, 'the offset of the blob')
  if (offset % WORD_BYTES !== 0 || offset < HEAD_WORDS * WORD_BYTES)
    throw new ParseError('fullReport: the offset of the blob must be a word behind the head')
  return offset / WORD_BYTES
}

/** A signed number of 192 bits; the bits before them repeat its sign. */
function parseInt192(bytes: Buffer, index: number): bigint {
  const [first, second, third, last] = quartersOf(bytes, index)
  const value = BigInt.asIntN(192, (second << 128n) | (third << 64n) | last)
  if (BigInt.asIntN(64, first) !== (value < 0n ? -1n : 0n))
    throw new ParseError('fullReport: a price must have 192 bits')
  return value
}

/** A word as four numbers of 64 bits, the highest first. */
function quartersOf(bytes: Buffer, index: number): [bigint, bigint, bigint, bigint] {
  const at = index * WORD_BYTES
  if (at + WORD_BYTES > bytes.length) throw new ParseError('fullReport ends too early')
  return [
    bytes.readBigUInt64BE(at),
    bytes.readBigUInt64BE(at + 8),
    bytes.readBigUInt64BE(at + 16),
    bytes.readBigUInt64BE(at + 24),
  ]
}
