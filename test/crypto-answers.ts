import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { expect, vi } from 'vitest'
import type { DemoFile } from '../demo/demo-file.js'
import { ACTIVE, CANDLES, MARKETS, PRICE, SERIES, TICKS } from './crypto-shapes.js'

/** Asks a demo for everything under /v1/crypto and holds the answers against the specification. */
export async function checkCryptoAnswers(demo: DemoFile): Promise<void> {
  const windowStart = Math.floor(Date.now() / 300_000) * 300
  const questions: [string, TSchema][] = [
    [`ticks?symbol=BTC&from=${Date.now() - 600_000}&to=${Date.now()}`, TICKS],
    [`ticks?symbol=HYPE&from=${Date.now() - 600_000}&to=${Date.now()}&limit=3`, TICKS],
    ['candles?symbol=BTC', CANDLES],
    ['candles?symbol=DOGE/USD', CANDLES],
    ...['5m', '15m', '1h', '4h'].map((interval): [string, TSchema] => [
      `price?symbol=ETH&window=${Math.floor(windowStart / 14_400) * 14_400}&interval=${interval}`,
      PRICE,
    ]),
    ['active', ACTIVE],
    ['markets', MARKETS],
    ['series', SERIES],
  ]
  await Promise.all(
    questions.map(([question, shape]) =>
      // The universe was begun a moment ago: its first prices and markets may be on their way.
      vi.waitFor(() => check(demo, question, shape), { timeout: 60_000, interval: 500 }),
    ),
  )
}

async function check({ url, keys }: DemoFile, question: string, shape: TSchema): Promise<void> {
  const headers = { 'x-api-key': keys.enterprise ?? '' }
  const reply = await fetch(`${url}/v1/crypto/${question}`, { headers })
  const body: unknown = await reply.json()
  expect(reply.status, JSON.stringify(body)).toBe(200)
  const faults = [...Value.Errors(shape, body)].map(
    ({ instancePath, message }) => `${question}${instancePath} ${message}`,
  )
  expect(faults).toEqual([])
  for (const items of Object.values(body as object).filter(Array.isArray)) {
    expect(items.length, `${question} is empty`).toBeGreaterThan(0)
  }
}
