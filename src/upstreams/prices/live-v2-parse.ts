import {
  type JsonObject,
  parseArray,
  parseEncoded,
  parseInteger,
  parseObject,
  parseOptional,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'
import { formatE18, parseCoin, parseE18, parseTimestampMs } from './parse-fields.js'
import type { PriceKind, PriceTick } from './source.js'

export type LiveV2Message =
  | { kind: 'authed' }
  | { kind: 'error'; code: string; channel: string | undefined }
  | { kind: 'data'; channel: string; seq: number; dropped: number; ticks: PriceTick[] }

export const LIVE_V2_CHANNELS: ReadonlyMap<string, PriceKind> = new Map([
  ['price.crypto', 'spot'],
  ['price.crypto.twap', 'twap60'],
])

export const TWAP_WINDOW_SECONDS = 60

/** `undefined`: a pong, an acknowledgement, or a channel that is not ours. Throws a ParseError on anything odd. */
export function parseLiveV2Frame(text: string, nowMs: number): LiveV2Message | undefined {
  return parseEncoded(text, 'frame', (value) => {
    const frame = parseObject(value, 'frame')
    return frame.op === undefined ? parseData(frame, nowMs) : parseAnswer(frame)
  })
}

function parseAnswer(frame: JsonObject): LiveV2Message | undefined {
  switch (parseString(frame.op, 'op')) {
    case 'authed':
      return { kind: 'authed' }
    case 'error':
      return {
        kind: 'error',
        code: parseString(frame.code, 'code'),
        channel: parseOptional(frame.channel, 'channel', parseString),
      }
    default:
      return undefined
  }
}

function parseData(frame: JsonObject, nowMs: number): LiveV2Message | undefined {
  const channel = parseString(frame.channel, 'channel')
  const kind = LIVE_V2_CHANNELS.get(channel)
  if (kind === undefined) return undefined
  const payload = parseObject(frame.payload, 'payload')
  return {
    kind: 'data',
    channel,
    seq: parseInteger(frame.seq, 'seq'),
    dropped: parseOptional(frame.dropped, 'dropped', parseInteger) ?? 0,
    ticks: parseTicks(payload, kind, nowMs),
  }
}

function parseTicks(payload: JsonObject, kind: PriceKind, nowMs: number): PriceTick[] {
  const coin = parseCoin(payload.symbol, 'payload.symbol')
  if (coin === undefined) return []
  const provider = parseString(payload.source, 'payload.source')
  checkWindow(payload.window_seconds, 'payload.window_seconds', kind)
  const parsePoint = (value: unknown, path: string): PriceTick => {
    const point = parseObject(value, path)
    const priceE18 = parsePrice(point, path)
    return {
      coin,
      kind,
      source: 'live_v2',
      provider,
      timestampMs: parseTimestampMs(point.timestamp, `${path}.timestamp`, nowMs),
      price: formatE18(priceE18),
      priceE18,
      receivedMs: nowMs,
    }
  }
  // The first frame of a subscription holds the last two minutes.
  return payload.data === undefined
    ? [parsePoint(payload, 'payload')]
    : parseArray(payload.data, 'payload.data', parsePoint)
}

/** A mean over other seconds than we asked for is another price. */
function checkWindow(value: unknown, path: string, kind: PriceKind): void {
  const seconds = parseOptional(value, path, parseInteger)
  const expected = kind === 'twap60' ? TWAP_WINDOW_SECONDS : undefined
  if (seconds !== undefined && seconds !== expected)
    refuseValue(path, String(expected ?? 'absent'), value)
}

function parsePrice(point: JsonObject, path: string): bigint {
  return (
    parseOptional(point.full_accuracy_value, `${path}.full_accuracy_value`, parseE18) ??
    parseE18(point.value, `${path}.value`)
  )
}
