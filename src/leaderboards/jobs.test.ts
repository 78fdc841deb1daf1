import { expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { updateCatalogueState } from '../catalogue/queries.js'
import { TestTape } from '../webhooks/match/test-tape.js'
import { BoardRefresher } from './jobs.js'

test('refreshes at first, when the catalogue is read, every 45 seconds, and after a reorganisation', async () => {
  const tape = await TestTape.open()
  const clock = new ManualClock()
  const refresher = new BoardRefresher(tape, clock)
  const refreshed = async () => {
    await refresher.run()
    const [state] = await tape.sql<{ block: number | null }[]>`select block from board_state`
    return state?.block ?? undefined
  }
  expect(await refreshed()).toBe(tape.head)
  const unread = tape.head
  const first = await tape.append()
  clock.advance(60_000)
  expect(await refreshed()).toBe(unread)

  await updateCatalogueState(tape.sql, { phase: 'done' })
  expect(await refreshed()).toBe(first)

  const second = await tape.append()
  clock.advance(44_000)
  expect(await refreshed()).toBe(first)
  clock.advance(1_000)
  expect(await refreshed()).toBe(second)

  await tape.append()
  await tape.rewind(second)
  clock.advance(1_000)
  expect(await refreshed()).toBe(second)
  expect(refresher.refreshedMs).toBe(clock.now() - 1_000)

  await tape.rewind(first)
  expect(await refreshed()).toBe(first)

  const third = await tape.append()
  clock.advance(-24 * 60 * 60_000)
  expect(await refreshed()).toBe(third)
})
