import { afterAll, beforeAll, expect, test } from 'vitest'
import { followInto } from '../src/chain/follow/test-follow.js'
import { BlockWriter } from '../src/chain/write/block-writer.js'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { nameOfRow, type Subject } from './lists/subject.js'
import { SUBJECTS } from './lists/subjects.js'

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 20 * 60_000 })
})
afterAll(() => world.close())

type Row = Record<string, unknown>
type Walk = { title: string; whole: string[]; walked: string[]; next: () => Promise<boolean> }

/** Asks for the first page of a list, and for the whole list at the same block. */
async function beginWalk(subject: Subject, view: Record<string, string>): Promise<Walk> {
  const { list, path, base } = subject
  const needed = typeof base === 'function' ? base(world) : base
  const ask = async (query: object) => {
    const reply = await world.get(path(world), { ...needed, ...view, ...query })
    expect(reply.statusCode, `${list.path} ${reply.body}`).toBe(200)
    return reply.json()
  }
  const namesIn = (page: Record<string, Row[]>) => (page[list.name] ?? []).map(nameOfRow)
  const whole = namesIn(await ask({ limit: subject.limitMax ?? 300 }))
  const first = await ask({ limit: 3 })
  const walked = namesIn(first)
  let cursor: string | null = first.next_cursor
  const next = async () => {
    if (cursor === null || walked.length >= whole.length) return false
    const page = await ask({ limit: 20, cursor })
    walked.push(...namesIn(page))
    cursor = page.next_cursor
    return true
  }
  return { title: `${list.path} ${JSON.stringify(view)}`, whole, walked, next }
}

test('a walk shows every row exactly once while blocks come and are taken back', async () => {
  const { universe, simulator, ctx } = world
  const line = await BlockWriter.open({ pool: ctx.sql })
  const followed = followInto({ universe, host: simulator.hosts.polygon }, line, {
    startBlock: universe.chain.firstNumber,
  })
  await followed.arrive()
  const walks: Walk[] = []
  for (const subject of SUBJECTS) {
    for (const view of subject.paged) walks.push(await beginWalk(subject, view))
  }
  for (let round = 0, isWalking = true; isWalking; round++) {
    universe.advance(universe.nowMs + 6_000)
    await followed.arrive()
    universe.reorg(2)
    await followed.arrive()
    isWalking = false
    for (const walk of walks) isWalking = (await walk.next()) || isWalking
    if (round > 20) isWalking = false
  }
  for (const { title, whole, walked } of walks) {
    expect(walked.slice(0, whole.length), title).toEqual(whole)
    expect(new Set(walked).size, title).toBe(walked.length)
  }
  await followed.stop()
}, 300_000)
