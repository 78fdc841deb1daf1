import {
  type JsonObject,
  parseArray,
  parseBoolean,
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
  /** `provider` is the one that is served, where the server names it. */
  | { kind: 'subscribed'; channel: string; provider: string | undefined }
  /** Without a channel it is about the whole frame that `rid` names. */
  | { kind: 'error'; code: string; channel: string | undefined; rid: string | undefined }
  | { kind: 'data'; channel: string; seq: number; dropped: number; ticks: PriceTick[] }

export const LIVE_V2_CHANNELS: ReadonlyMap<string, PriceKind> = new Map([
  ['price.crypto', 'spot'],
  ['price.crypto.twap', 'twap60'],
])

export const TWAP_WINDOW_SECONDS = 60

/** `undefined`: a pong, or a channel that is not ours. Throws a ParseError on a malformed message. */
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
    case 'subscribed':
      return {
        kind: 'subscribed',
        channel: parseString(frame.channel, 'channel'),
        provider: parseOptional(frame.provider, 'provider', parseString),
      }
    case 'error':
      return {
        kind: 'error',
        code: parseString(frame.code, 'code'),
        channel: parseOptional(frame.channel, 'channel', parseString),
        rid: parseOptional(frame.rid, 'rid', parseString),
      }
    default:
      return undefined
  }
}

function parseData(frame: JsonObject, nowMs: number): LiveV2Message | undefined {
  if (frame.v !== 1) return refuseValue('v', '1', frame.v)
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
  if (payload.data !== undefined) return parseArray(payload.data, 'payload.data', parsePoint)
  const carried = payload.is_carried_forward
  const isRepeated = parseOptional(carried, 'payload.is_carried_forward', parseBoolean)
  // The provider measured nothing in this second: the last price again is no price of it.
  return isRepeated ? [] : [parsePoint(payload, 'payload')]
}

/** A mean over other seconds than we subscribed to is another price. */
function checkWindow(value: unknown, path: string, kind: PriceKind): void {
  const expected = kind === 'twap60' ? TWAP_WINDOW_SECONDS : undefined
  if ((value ?? undefined) !== expected) refuseValue(path, String(expected ?? 'absent'), value)
}

/** `value` beside it is a mere approximation. */
function parsePrice(point: JsonObject, path: string): bigint {
  const exact = `${path}.full_accuracy_value`
  return parseE18(parseString(point.full_accuracy_value, exact), exact)
}
