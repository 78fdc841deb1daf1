import { expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { updateCatalogueState } from '../catalogue/queries.js'
import { TestFacts } from '../webhooks/match/test-facts.js'
import { createBoardJob, type LastRefresh } from './domain.js'

test('refreshes at first, when the catalogue is read, every 45 seconds, and after a reorganisation', async () => {
  const facts = await TestFacts.open()
  const clock = new ManualClock()
  const last: LastRefresh = { asOfSec: undefined, refreshedMs: undefined }
  const job = createBoardJob({ sql: facts.sql, clock }, { follower: undefined, elsewhere: undefined }, last)
  const refreshed = async () => {
    await job.run(new AbortController().signal)
    const [state] = await facts.sql<{ block: number | null }[]>`select block from board_state`
    return state?.block ?? undefined
  }
  expect(await refreshed()).toBe(facts.head)
  const unread = facts.head
  const first = await facts.append()
  clock.advance(60_000)
  expect(await refreshed()).toBe(unread)

  await updateCatalogueState(facts.sql, { phase: 'done' })
  expect(await refreshed()).toBe(first)

  const second = await facts.append()
  clock.advance(44_000)
  expect(await refreshed()).toBe(first)
  clock.advance(1_000)
  expect(await refreshed()).toBe(second)

  await facts.append()
  await facts.revertTo(second)
  clock.advance(1_000)
  expect(await refreshed()).toBe(second)
  expect(last.refreshedMs).toBe(clock.now() - 1_000)

  await facts.revertTo(first)
  expect(await refreshed()).toBe(first)

  const third = await facts.append()
  clock.advance(-24 * 60 * 60_000)
  expect(await refreshed()).toBe(third)
})
