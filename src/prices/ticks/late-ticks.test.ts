import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dropOldMonths } from '../archive/partitions.js'
import { makeTick, makeTicks, NOON_SEC, readState } from '../archive/test-archive.js'
import { openTickApp, openTwin, showTicks, type TickApp } from './test-tick-app.js'

const HOUR_SEC = 3_600

let t: TickApp
let twin: FastifyInstance
/** An hour for each test, with ticks that are packed and were requested. */
let startSec = NOON_SEC
beforeAll(async () => {
  t = await openTickApp()
  twin = await openTwin(t)
})
afterAll(async () => {
  await twin.close()
  await t.close()
})
beforeEach(async () => {
  startSec += HOUR_SEC
  await t.insert(...first())
  await pack()
  await expectEverywhere(first())
})

const first = () => makeTicks(startSec, 5)
const pack = () => t.packAt(startSec + 420)
const revision = async () => (await readState(t.ctx.sql))?.revision

/** From both processes; requested twice, because the second answer comes from the cache. */
async function expectEverywhere(ticks: Parameters<typeof showTicks>[0]): Promise<void> {
  const range = { from: startSec * 1000, to: (startSec + 299) * 1000 }
  for (const app of [t.app, twin, t.app, twin])
    expect((await t.read(range, app)).ticks).toEqual(showTicks(ticks))
}

describe('a late tick', () => {
  test('is shown before it is packed and after', async () => {
    const before = await revision()
    const late = makeTick(startSec + 100, { price: 9, bid: 8, ask: 10 })
    await t.insert(late)
    await expectEverywhere([...first(), late])
    await pack()
    expect(await revision()).toBe((before ?? 0) + 1)
    await expectEverywhere([...first(), late])
  })

  test('of the other source is shown, too', async () => {
    const late = makeTick(startSec + 2, { source: 'oracle_data_streams' })
    await t.insert(late)
    await expectEverywhere([...first(), late])
    await pack()
    await expectEverywhere([...first(), late])
  })

  test('that is there already changes nothing, and nothing is forgotten', async () => {
    const before = await revision()
    await t.insert(makeTick(startSec + 2, { price: 77 }))
    await expectEverywhere(first())
    await pack()
    expect(await revision()).toBe(before)
    await expectEverywhere(first())
  })

  test('is shown by a process that was asked for another part of its block only', async () => {
    const late = makeTick(startSec + 200)
    await t.insert(late)
    const part = { from: startSec * 1000, to: (startSec + 10) * 1000 }
    expect((await t.read(part)).ticks).toEqual(showTicks(first()))
    await expectEverywhere([...first(), late])
  })
})

test('a second request within a second gets what was packed before, without a query', async () => {
  const late = makeTick(startSec + 100)
  const query = `symbol=BTC&from=${startSec * 1000}&to=${(startSec + 299) * 1000}`
  await t.get(query)
  await t.insert(late)
  expect((await t.getAtOnce(query)).json().ticks).toEqual(showTicks(first()))
  t.clock.advance(1_000)
  expect((await t.getAtOnce(query)).json().ticks).toEqual(showTicks([...first(), late]))
})

test('a packer whose clock is ahead hides nothing that comes after it', async () => {
  t.clock.set((startSec + 320) * 1000)
  await t.packAt(startSec + 86_400)
  const query = `symbol=BTC&from=${startSec * 1000}&to=${(startSec + 399) * 1000}`
  const counts: number[] = []
  for (const sec of [300, 301, 302]) {
    await t.insert(makeTick(startSec + sec))
    counts.push((await t.getAtOnce(query)).json().count)
  }
  expect(counts).toEqual([6, 7, 8])
  t.clock.set(Date.UTC(2027, 0))
})

test('months that are dropped are gone for all, at once', async () => {
  await dropOldMonths(t.ctx.sql, Date.UTC(2026, 11))
  await expectEverywhere([])
})
