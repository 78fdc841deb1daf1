import {
  parseArray,
  parseEncoded,
  parseInteger,
  parseObject,
  parseOptional,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'
import { type ChainlinkFeed, scaleToE18 } from './chainlink-feeds.js'
import { decodeFullReport } from './chainlink-report.js'
import { fromE18 } from './decimal.js'
import { readMoment } from './moment.js'
import type { PriceTick } from './source.js'

/** Feeds by their id. */
export type ChainlinkFeedMap = ReadonlyMap<string, ChainlinkFeed>

/** `undefined`: a feed that is not ours. Throws a ParseError on anything odd. */
export function parseReportFrame(
  text: string,
  feeds: ChainlinkFeedMap,
  nowMs: number,
): PriceTick | undefined {
  return parseEncoded(text, 'frame', (frame) =>
    readReport(parseObject(frame, 'frame').report, 'report', feeds, nowMs),
  )
}

/** A page of reports, oldest first. */
export function readReportPage(
  body: unknown,
  path: string,
  feeds: ChainlinkFeedMap,
  nowMs: number,
): PriceTick[] {
  const { reports } = parseObject(body, path)
  const parseItem = (item: unknown, at: string) => readReport(item, at, feeds, nowMs)
  const ticks = parseArray(reports, `${path}.reports`, parseItem)
  return ticks.filter((tick) => tick !== undefined).sort((a, b) => a.timestampMs - b.timestampMs)
}

/** What stands beside the report must agree with what is in it: it alone is what the oracle signed. */
function readReport(
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
  return e18 > 0n ? e18 : refuseValue(path, 'a positive price', String(amount))
}
