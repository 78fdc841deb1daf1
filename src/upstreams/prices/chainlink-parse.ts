import {
  readArray,
  readEncoded,
  readInteger,
  readObject,
  readOptional,
  readString,
  refuse,
} from '../transport/read.js'
import { type ChainlinkFeed, scaleToE18 } from './chainlink-feeds.js'
import { decodeFullReport } from './chainlink-report.js'
import { fromE18 } from './decimal.js'
import { readMoment } from './moment.js'
import type { PriceTick } from './source.js'

/** Feeds by their id. */
export type ChainlinkFeedMap = ReadonlyMap<string, ChainlinkFeed>

/** `undefined`: a feed that is not ours. Throws a ReadError on anything odd. */
export function parseReportFrame(
  text: string,
  feeds: ChainlinkFeedMap,
  nowMs: number,
): PriceTick | undefined {
  return readEncoded(text, 'frame', (frame) =>
    readReport(readObject(frame, 'frame').report, 'report', feeds, nowMs),
  )
}

/** A page of reports, oldest first. */
export function readReportPage(
  body: unknown,
  path: string,
  feeds: ChainlinkFeedMap,
  nowMs: number,
): PriceTick[] {
  const { reports } = readObject(body, path)
  const readItem = (item: unknown, at: string) => readReport(item, at, feeds, nowMs)
  const ticks = readArray(reports, `${path}.reports`, readItem)
  return ticks.filter((tick) => tick !== undefined).sort((a, b) => a.timestampMs - b.timestampMs)
}

/** What stands beside the report must agree with what is in it: it alone is what the oracle signed. */
function readReport(
  value: unknown,
  path: string,
  feeds: ChainlinkFeedMap,
  nowMs: number,
): PriceTick | undefined {
  const outer = readObject(value, path)
  const feedId = readString(outer.feedID, `${path}.feedID`).toLowerCase()
  const feed = feeds.get(feedId)
  if (feed === undefined) return undefined

  const inner = decodeFullReport(readString(outer.fullReport, `${path}.fullReport`))
  if (inner.feedId !== feedId) refuse(`${path}.feedID`, inner.feedId, outer.feedID)
  const timePath = `${path}.observationsTimestamp`
  const shownSec = readOptional(outer.observationsTimestamp, timePath, readInteger)
  if (shownSec !== undefined && shownSec !== inner.observedSec)
    refuse(timePath, String(inner.observedSec), shownSec)

  const priceE18 = toE18(inner.price, feed, `${path}.price`)
  return {
    coin: feed.coin,
    kind: feed.kind,
    source: 'chainlink',
    oracle: 'chainlink',
    timestampMs: readMoment(inner.observedSec * 1_000, timePath, nowMs),
    price: fromE18(priceE18),
    priceE18,
    ...(inner.bid !== undefined && { bid: fromE18(toE18(inner.bid, feed, `${path}.bid`)) }),
    ...(inner.ask !== undefined && { ask: fromE18(toE18(inner.ask, feed, `${path}.ask`)) }),
    receivedMs: nowMs,
  }
}

function toE18(amount: bigint, feed: ChainlinkFeed, path: string): bigint {
  const e18 = scaleToE18(amount, feed.decimals)
  return e18 > 0n ? e18 : refuse(path, 'a positive price', String(amount))
}
