import { createHash } from 'node:crypto'
import { word } from '../contracts/words.js'
import type { Universe } from '../universe/universe.js'
import { toE18 } from './amounts.js'
import type { Feed } from './chainlink-feeds.js'

export type Report = {
  feedID: string
  fullReport: string
  validFromTimestamp: number
  observationsTimestamp: number
}

const SIGNATURES = 6
const WORD_BYTES = 32
/** The hash of the oracle's configuration, the round, and two words for each signature. */
const NOISE_WORDS = 2 + 2 * SIGNATURES
const EXPIRES_SEC = 30 * 86_400
const NATIVE_FEE = 35_000_000_000_000n
const LINK_FEE = 7_800_000_000_000_000n

/** The report of a second, encoded as the contracts read it. Its signatures are well formed and mean nothing. */
export function reportOf(universe: Universe, feed: Feed, sec: number): Report {
  // All of the noise at once: a service that reads a day of reports asks for 800,000 of them.
  const noise = createHash('shake256', { outputLength: NOISE_WORDS * WORD_BYTES })
    .update(`${universe.seed} ${feed.feedID} ${sec}`)
    .digest('hex')
  const noiseWords = Array.from({ length: NOISE_WORDS }, (_, index) =>
    noise.slice(index * 2 * WORD_BYTES, (index + 1) * 2 * WORD_BYTES),
  )
  return {
    feedID: feed.feedID,
    fullReport: encodeFullReport(encodeBlob(universe, feed, sec), noiseWords),
    validFromTimestamp: sec,
    observationsTimestamp: sec,
  }
}

function encodeBlob(universe: Universe, feed: Feed, sec: number): string {
  const times = [BigInt(sec), BigInt(sec), NATIVE_FEE, LINK_FEE, BigInt(sec + EXPIRES_SEC)]
  const words = [...times, ...pricesOf(universe, feed, sec)].map(word)
  return feed.feedID.slice(2) + words.join('')
}

/** The price alone for a mean; price, bid and ask for a spot price. */
function pricesOf({ prices }: Universe, feed: Feed, sec: number): bigint[] {
  if (feed.twapSeconds !== undefined) {
    return [toE18(prices.twapE8(feed.coin, sec, feed.twapSeconds))]
  }
  const { priceE8, bidE8, askE8 } = prices.spot(feed.coin, sec)
  return [priceE8, bidE8, askE8].map(toE18)
}

/** `(bytes32[3] context, bytes blob, bytes32[] rs, bytes32[] ss, bytes32 vs)`, the blob whole words long. */
function encodeFullReport(blob: string, noise: readonly string[]): string {
  const [config = '', round = ''] = noise
  const context = [config, word(BigInt(`0x${round.slice(0, 8)}`)), word(0n)]
  const rs = noise.slice(2, 2 + SIGNATURES)
  const ss = noise.slice(2 + SIGNATURES)
  const vs = Array.from({ length: SIGNATURES }, (_, index) => `0${index % 2}`).join('')

  const headWords = context.length + 4
  const blobWords = blob.length / 64
  const rsAt = headWords + 1 + blobWords
  const offsets = [headWords, rsAt, rsAt + 1 + rs.length].map((words) => word(words * 32))
  const head = [...context, ...offsets, vs.padEnd(64, '0')]
  const tail = [word(blobWords * 32), blob, ...encodeArray(rs), ...encodeArray(ss)]
  return `0x${[...head, ...tail].join('')}`
}

const encodeArray = (words: string[]): string[] => [word(words.length), ...words]
