import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWindowApp, type WindowApp } from './test-window-app.js'

const SITE_SEC = Date.UTC(2026, 10, 15, 12) / 1000
/** What the site allows in ten seconds, halved; two thirds of it are the most for one account. */
const SHARE = 34

let w: WindowApp
let greedy: string
let modest: string
beforeAll(async () => {
  w = await openWindowApp(SITE_SEC * 1000)
  greedy = (await w.createCaller('enterprise')).key
  modest = (await w.createCaller('free')).key
  w.clock.set(SITE_SEC * 1000)
})
afterAll(() => w.close())

/** A window that only the site knows, and that was not requested before. */
let windows = 0
const nextWindow = () => SITE_SEC - 3_600 - 300 * windows++
const ask = (key: string, start: number) =>
  w.app.inject({
    url: `/v1/crypto/price?symbol=BTC&window=${start}`,
    headers: { 'x-api-key': key },
  })

/** One that was answered. */
let known = 0

/** Far more at a time than the share of ten seconds; a slow machine needs them again. */
async function untilRefused() {
  for (;;) {
    const starts = Array.from({ length: 60 }, nextWindow)
    const replies = await Promise.all(starts.map((start) => ask(greedy, start)))
    known = starts.find((_, index) => replies[index]?.statusCode === 200) ?? known
    if (replies.some(({ statusCode }) => statusCode !== 200)) return replies
  }
}

describe('GET /v1/crypto/price, where only the site knows', () => {
  test('429: an account has used up its share of the requests to the site, and others have theirs', async () => {
    const replies = await untilRefused()
    const refused = replies.filter(({ statusCode }) => statusCode !== 200)
    // Exactly that many, unless the window moved on meanwhile.
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(SHARE)
    for (const reply of refused) {
      expect(reply.statusCode).toBe(429)
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
      expect(reply.json()).toEqual({
        error: expect.stringMatching(
          /^Your account's share of the requests to site is used up. Retry in \d+ s.$/,
        ),
        scope: 'upstream',
        upstream: 'site',
      })
    }
    expect((await ask(modest, nextWindow())).statusCode).toBe(200)
  })

  test('200: what is known already costs no share', async () => {
    expect((await ask(greedy, known)).statusCode).toBe(200)
  })
})
