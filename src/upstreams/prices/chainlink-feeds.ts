import {
  parseArray,
  parseInteger,
  parseObject,
  parseOptional,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'
import type { PriceKind } from './source.js'

export type ChainlinkFeed = {
  /** 0x and 64 hex digits, lower-case. */
  id: string
  coin: string
  kind: PriceKind
  decimals: number
}

const DECIMALS = 18

/** Feeds whose ids are public. The list of the host may name them in another way. */
const KNOWN = new Map<string, Pick<ChainlinkFeed, 'coin' | 'kind'>>(
  (
    [
      ['btc', 'spot', '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8'],
      ['eth', 'spot', '0x000362205e10b3a147d02792eccee483dca6c7b44ecce7012cb8c6e0b68b3ae9'],
      ['sol', 'spot', '0x0003b778d3f6b2ac4991302b89cb313f99a42467d6c9c5f96f57c29c0d2bc24f'],
      ['bnb', 'spot', '0x000335fd3f3ffa06cfd9297b97367f77145d7a5f132e84c736cc471dd98621fe'],
      ['btc', 'twap30', '0x0002e6b03af5a87b65f4c5c0c8eaf6027e4156f467cd16bdcf8a5b4347f9c087'],
      ['btc', 'twap60', '0x0002ee6757e8822c00d273bc340fc24c9cafe123a4ff2ea1dbdb31944bc7d95f'],
    ] as const
  ).map(([coin, kind, id]) => [id, { coin, kind }]),
)

/** The feeds that a key may read, as `/api/v1/feeds` lists them; those that are no dollar price are left out. */
export function parseFeeds(body: unknown, path: string): ChainlinkFeed[] {
  const { feeds } = parseObject(body, path)
  return parseArray(feeds, `${path}.feeds`, parseFeed).filter((feed) => feed !== undefined)
}

/** One feed for each coin and kind: the first of those that are known, else of those that are listed. */
export function chooseFeeds(
  listed: readonly ChainlinkFeed[],
  coins: readonly string[],
): Map<string, ChainlinkFeed> {
  const known = listed.filter(({ id }) => KNOWN.has(id))
  const taken = new Set<string>()
  const feeds = new Map<string, ChainlinkFeed>()
  for (const feed of [...known, ...listed]) {
    const stream = `${feed.coin} ${feed.kind}`
    if (!coins.includes(feed.coin) || taken.has(stream)) continue
    taken.add(stream)
    feeds.set(feed.id, feed)
  }
  return feeds
}

export function scaleToE18(amount: bigint, decimals: number): bigint {
  return decimals <= DECIMALS
    ? amount * 10n ** BigInt(DECIMALS - decimals)
    : amount / 10n ** BigInt(decimals - DECIMALS)
}

function parseFeed(value: unknown, path: string): ChainlinkFeed | undefined {
  const feed = parseObject(value, path)
  const id = parseString(feed.feedID, `${path}.feedID`).toLowerCase()
  const name = parseOptional(feed.name, `${path}.name`, parseString) ?? ''
  const [, named, quote] = /^([a-z0-9]+)\s*[/-]\s*([a-z0-9]+)/i.exec(name) ?? []
  const asset = parseOptional(feed.asset, `${path}.asset`, parseString) ?? named
  const quoteAsset = parseOptional(feed.quoteAsset, `${path}.quoteAsset`, parseString) ?? quote
  const decimals = parseOptional(feed.decimals, `${path}.decimals`, parseDecimals) ?? DECIMALS

  const known = KNOWN.get(id)
  if (known !== undefined) return { id, ...known, decimals }
  const kind = kindOf(id, name)
  if (asset === undefined || quoteAsset?.toUpperCase() !== 'USD' || kind === undefined) return undefined
  return { id, coin: asset.toLowerCase(), kind, decimals }
}

function parseDecimals(value: unknown, path: string): number {
  const decimals = parseInteger(value, path)
  return decimals >= 0 && decimals <= 36 ? decimals : refuseValue(path, 'from 0 to 36', value)
}

/** By the version in the id and the seconds in the name; `undefined`: neither price nor mean that we read. */
function kindOf(id: string, name: string): PriceKind | undefined {
  const isMean = /twap/i.test(name)
  if (id.startsWith('0x0003') && !isMean) return 'spot'
  if (!id.startsWith('0x0002') || !isMean) return undefined
  const seconds = /twap\D*(30|60)(?!\d)/i.exec(name)?.[1]
  return seconds === undefined ? undefined : seconds === '30' ? 'twap30' : 'twap60'
}
