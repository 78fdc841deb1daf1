import { describe, test } from 'vitest'
import { eventually, type Gap, type Outage, openPriceService } from './price-service.js'
import { SIMULATED_STREAMS } from './simulated-prices.js'

const OUTAGE_SEC = 61

const READY = [200, 'ready', 'ok']
const silence = (source: string, seconds: number) => `${source}: no price for ${seconds} seconds`

/** Both ends included; `sequence` stands for the source. */
const idsOf = (fromSec: number, toSec: number, sequence: number) =>
  Array.from({ length: toSec - fromSec + 1 }, (_, index) => `${fromSec + index}000-${sequence}`)

/** What the coverage says of an outage: a socket that was lost is one gap, silence is one of each stream. */
function gapsOf(mode: Outage, fromSec: number, backSec: number): Gap[] {
  const iso = (sec: number) => new Date(sec * 1_000).toISOString()
  const gap = { upstream: 'rtds', feed: null, price_source: null, from: iso(fromSec) }
  if (mode === 'drop') return [{ ...gap, to: iso(backSec), reason: 'lost' }]
  return SIMULATED_STREAMS.rtds.map(({ symbol, kind: price_source }) => ({
    ...gap,
    feed: `${symbol}/USD`,
    price_source,
    to: iso(backSec - 1),
    reason: 'missing',
  }))
}

describe.concurrent.each<Outage>(['drop', 'silent'])('a socket that fails for a minute: %s', (mode) => {
  test('503 degraded when there is no other, a gap in the coverage, and it recovers by itself', async (context) => {
    const { expect } = context
    const service = await openPriceService(['rtds'], context)
    const firstSec = service.nowSec
    await service.liveOn(3, 'rtds')
    expect(await service.readiness()).toEqual(READY)

    const lastSec = service.nowSec - 1
    await service.break('rtds', mode)
    await service.liveOn(OUTAGE_SEC - 2)
    expect(await service.readiness()).toEqual(READY)
    await service.liveOn(1)
    const reason = silence('platform_oracle', OUTAGE_SEC)
    expect(await service.readiness()).toEqual([503, 'degraded', reason])

    await service.mend('rtds')
    await service.liveOn(1, 'rtds')
    const backSec = service.nowSec
    expect(await service.readiness()).toEqual(READY)
    const gaps = gapsOf(mode, lastSec, backSec)
    expect(await service.gaps()).toHaveLength(gaps.length)
    expect(await service.gaps()).toEqual(expect.arrayContaining(gaps))
    const ids = [...idsOf(firstSec, lastSec, 0), ...idsOf(backSec - 1, backSec - 1, 0)]
    for (const stream of SIMULATED_STREAMS.rtds) expect(await service.ids(stream, firstSec)).toEqual(ids)
  })

  test('200 degraded while another source has prices, 503 when both fail; what can be fetched is fetched', async (context) => {
    const { expect } = context
    const service = await openPriceService(['rtds', 'chainlink'], context)
    const firstSec = service.nowSec + 1
    await service.liveOn(3, 'rtds', 'chainlink')
    expect(await service.readiness()).toEqual(READY)

    await service.break('rtds', mode)
    await service.liveOn(OUTAGE_SEC - 1, 'chainlink')
    const first = silence('platform_oracle', OUTAGE_SEC)
    expect(await service.readiness()).toEqual([200, 'degraded', first])

    await service.break('chainlink', mode)
    await service.liveOn(OUTAGE_SEC)
    const both = [silence('platform_oracle', 2 * OUTAGE_SEC), silence('oracle_data_streams', OUTAGE_SEC)]
    expect(await service.readiness()).toEqual([503, 'degraded', both.join('; ')])

    await service.mend('rtds')
    await service.liveOn(1, 'rtds')
    const second = silence('oracle_data_streams', OUTAGE_SEC + 1)
    expect(await service.readiness()).toEqual([200, 'degraded', second])

    await service.mend('chainlink')
    await service.liveOn(1, 'rtds', 'chainlink')
    expect(await service.readiness()).toEqual(READY)
    const ids = idsOf(firstSec, service.nowSec, 1)
    for (const stream of SIMULATED_STREAMS.chainlink)
      await eventually(async () => expect(await service.ids(stream, firstSec)).toEqual(ids))
    const upstreams = (await service.gaps()).map(({ upstream }) => upstream)
    expect(new Set(upstreams)).toEqual(new Set(['rtds']))
  })
})
