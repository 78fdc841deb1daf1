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
import { fromE18, readE18 } from './decimal.js'
import { readMoment } from './moment.js'
import type { PriceKind, PriceTick } from './source.js'
import { readCoin } from './symbol.js'

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
    return frame.op === undefined ? readData(frame, nowMs) : readAnswer(frame)
  })
}

function readAnswer(frame: JsonObject): LiveV2Message | undefined {
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

function readData(frame: JsonObject, nowMs: number): LiveV2Message | undefined {
  const channel = parseString(frame.channel, 'channel')
  const kind = LIVE_V2_CHANNELS.get(channel)
  if (kind === undefined) return undefined
  const payload = parseObject(frame.payload, 'payload')
  return {
    kind: 'data',
    channel,
    seq: parseInteger(frame.seq, 'seq'),
    dropped: parseOptional(frame.dropped, 'dropped', parseInteger) ?? 0,
    ticks: readTicks(payload, kind, nowMs),
  }
}

function readTicks(payload: JsonObject, kind: PriceKind, nowMs: number): PriceTick[] {
  const coin = readCoin(payload.symbol, 'payload.symbol')
  if (coin === undefined) return []
  const oracle = parseString(payload.source, 'payload.source')
  checkWindow(payload.window_seconds, 'payload.window_seconds', kind)
  const readPoint = (value: unknown, path: string): PriceTick => {
    const point = parseObject(value, path)
    const priceE18 = readPrice(point, path)
    return {
      coin,
      kind,
      source: 'live_v2',
      oracle,
      timestampMs: readMoment(point.timestamp, `${path}.timestamp`, nowMs),
      price: fromE18(priceE18),
      priceE18,
      receivedMs: nowMs,
    }
  }
  // The first frame of a subscription holds the last two minutes.
  return payload.data === undefined
    ? [readPoint(payload, 'payload')]
    : parseArray(payload.data, 'payload.data', readPoint)
}

/** A mean over other seconds than we asked for is another price. */
function checkWindow(value: unknown, path: string, kind: PriceKind): void {
  const seconds = parseOptional(value, path, parseInteger)
  const expected = kind === 'twap60' ? TWAP_WINDOW_SECONDS : undefined
  if (seconds !== undefined && seconds !== expected)
    refuseValue(path, String(expected ?? 'absent'), value)
}

function readPrice(point: JsonObject, path: string): bigint {
  return (
    parseOptional(point.full_accuracy_value, `${path}.full_accuracy_value`, readE18) ??
    readE18(point.value, `${path}.value`)
  )
}
