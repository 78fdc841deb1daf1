import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { toUsd } from '../../../sim/prices/amounts.js'
import { JumpingTiming } from '../../../test/jumping-timing.js'
import { openWindowApp, readPrice, type WindowApp } from './test-window-app.js'

/** Up to here the site has every price, and after it none. */
const SITE_SEC = Date.UTC(2026, 10, 15, 12) / 1000

let w: WindowApp
beforeAll(async () => {
  w = await openWindowApp(SITE_SEC * 1000, new JumpingTiming())
})
afterAll(() => w.close())
afterEach(async () => {
  w.siteUrls.length = 0
  await w.ctx.sql`truncate live_ticks`
})

const at = (sec: number) => w.clock.set(sec * 1000)
const read = (start: number, rest = '') => readPrice(w, `symbol=BTC&window=${start}${rest}`)
const mean = (sec: number, seconds = 60) => toUsd(w.universe.prices.twapE8('btc', sec, seconds))
const spot = (sec: number) => toUsd(w.universe.prices.spotE8('btc', sec))
const exchange = (sec: number) => toUsd(w.universe.prices.binanceE8('btc', sec))

describe('GET /v1/crypto/price, where the archive has nothing', () => {
  test('200: both prices of a window that is over come from the site, which is called once', async () => {
    const start = SITE_SEC - 3_600
    at(SITE_SEC)
    const expected = {
      openPrice: mean(start),
      closePrice: mean(start + 300),
      completed: true,
      incomplete: false,
    }
    expect(await read(start)).toMatchObject(expected)
    at(SITE_SEC + 86_400)
    expect(await read(start)).toMatchObject(expected)
    expect(w.siteUrls).toHaveLength(1)
  })

  test('200: one window ends where the next begins', async () => {
    at(SITE_SEC)
    const starts = [0, 1, 2, 3].map((index) => SITE_SEC - 7_200 + index * 900)
    const prices = await Promise.all(starts.map((start) => read(start, '&interval=15m')))
    expect(prices.slice(1).map(({ openPrice }) => openPrice)).toEqual(
      prices.slice(0, -1).map(({ closePrice }) => closePrice),
    )
  })

  test('200: the price that decided at the time is requested from the site', async () => {
    at(SITE_SEC)
    const august = (day: number) => Date.UTC(2026, 7, day) / 1000
    expect(await read(august(14))).toMatchObject({ openPrice: mean(august(14)) })
    expect(await read(august(8))).toMatchObject({ openPrice: mean(august(8), 30) })
    expect(await read(august(6))).toMatchObject({ openPrice: spot(august(6)) })
    expect(await read(august(14), '&interval=1h')).toMatchObject({
      openPrice: exchange(august(14)),
      closePrice: exchange(august(14) + 3_600),
    })
    // The last window of the old rule begins and ends under different ones.
    expect(await read(august(14) - 300)).toMatchObject({
      openPrice: mean(august(14) - 300, 30),
      closePrice: mean(august(14)),
    })
  })

  test('200: a window that the archive joined late opens as the site says and goes on with the archive', async () => {
    const start = SITE_SEC - 300
    at(start + 200)
    expect(await read(start)).toMatchObject({ openPrice: mean(start), closePrice: mean(start) })
    await w.insert([[start + 205, 7]], { kind: 'spot' })
    at(start + 210)
    expect(await read(start)).toMatchObject({
      openPrice: mean(start),
      closePrice: 7,
      completed: false,
    })
  })

  test('200: an end that the archive missed comes from the site', async () => {
    const start = SITE_SEC - 1_800
    await w.insert([[start, 7]])
    at(SITE_SEC)
    expect(await read(start)).toMatchObject({
      openPrice: 7,
      closePrice: mean(start + 300),
      completed: true,
    })
  })

  test('404: the site does not know it either, and is not called again for a minute', async () => {
    const start = SITE_SEC + 3_600
    at(start + 600)
    const reply = await w.get(`symbol=BTC&window=${start}`)
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toEqual({ error: expect.stringMatching(/^No price is known/) })
    for (const symbol of ['BTC', 'btc']) {
      expect((await w.get(`symbol=${symbol}&window=${start}`)).statusCode).toBe(404)
    }
    expect(w.siteUrls).toHaveLength(1)
    at(start + 660)
    await w.get(`symbol=BTC&window=${start}`)
    expect(w.siteUrls).toHaveLength(2)
  })
})

describe('GET /v1/crypto/price, while the site is down', () => {
  beforeAll(() => w.host.close())

  test('503: only the site could know', async () => {
    at(SITE_SEC)
    const reply = await w.get(`symbol=BTC&window=${SITE_SEC - 36_000}`)
    expect(reply.statusCode).toBe(503)
    expect(reply.headers['retry-after']).toBe('1')
    expect(reply.json()).toEqual({ error: expect.stringContaining('the site does not answer') })
  })

  test('200: what was learnt from it before is still there, and so is the archive', async () => {
    at(SITE_SEC + 100_000)
    expect(await read(SITE_SEC - 3_600)).toMatchObject({ completed: true })
    const start = SITE_SEC - 72_000
    await w.insert([
      [start, 7],
      [start + 300, 8],
    ])
    expect(await read(start)).toMatchObject({ openPrice: 7, closePrice: 8, completed: true })
  })
})
