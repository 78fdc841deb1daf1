import { type ChainlinkOptions, ChainlinkSource } from './chainlink.js'
import { type LiveV2Credentials, LiveV2Source } from './live-v2.js'
import { RtdsSource } from './rtds.js'
import type { PriceSource, PriceSourceOptions } from './source.js'

/** What the operator configured. What is absent is not used. */
export type PriceSettings = {
  rtds?: { url: string } | undefined
  liveV2?: { url: string; credentials?: LiveV2Credentials | undefined } | undefined
  chainlink?:
    | (Pick<ChainlinkOptions, 'url' | 'restUrl' | 'feeds' | 'callsPerSecond'> & {
        credentials?: ChainlinkOptions['credentials'] | undefined
      })
    | undefined
}

/** The sources that can be used. One that needs credentials and has none is not made. */
export function createPriceSources(
  { rtds, liveV2, chainlink }: PriceSettings,
  shared: Omit<PriceSourceOptions, 'url'>,
): PriceSource[] {
  const sources: PriceSource[] = []
  if (rtds !== undefined) sources.push(new RtdsSource({ ...shared, ...rtds }))
  if (liveV2?.credentials !== undefined) {
    const { url, credentials } = liveV2
    sources.push(new LiveV2Source({ ...shared, url, credentials }))
  }
  if (chainlink?.credentials !== undefined) {
    const { credentials } = chainlink
    sources.push(new ChainlinkSource({ ...shared, ...chainlink, credentials }))
  }
  return sources
}
