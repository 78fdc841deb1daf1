import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairSemaphore } from './fair-semaphore.js'

const FOREVER_MS = 60_000

const requestOf = (owner: number, more: { waitMsMax?: number; ownWaitingMax?: number } = {}) => ({
  owner,
  ownMax: 2,
  waitMsMax: FOREVER_MS,
  refuse: (inTheWay: string) => new Error(`refused: ${inTheWay}`),
  ...more,
})

/** Work that runs until it is ended. */
function openWork() {
  let end: (result: string) => void = () => undefined
  const result = new Promise<string>((resolve) => {
    end = resolve
  })
  return { start: () => result, end }
}

test('a third request of an owner is refused for its own work, one of another owner runs', async () => {
  const semaphore = new FairSemaphore({ totalMax: 3 })
  const work = openWork()
  const running = [1, 1].map((owner) => semaphore.run(requestOf(owner), work.start))
  const third = semaphore.run(requestOf(1, { waitMsMax: 20 }), work.start)
  await expect(third).rejects.toThrow('refused: own')
  expect(await semaphore.run(requestOf(2), async () => 'ran')).toBe('ran')
  work.end('done')
  expect(await Promise.all(running)).toEqual(['done', 'done'])
})

test('what all owners run together is bounded: the refusal names the others', async () => {
  const semaphore = new FairSemaphore({ totalMax: 3 })
  const work = openWork()
  const running = [1, 2, 3].map((owner) => semaphore.run(requestOf(owner), work.start))
  const fourth = semaphore.run(requestOf(4, { waitMsMax: 0 }), work.start)
  await expect(fourth).rejects.toThrow('refused: others')
  work.end('done')
  await Promise.all(running)
})

test('as many wait as may wait, of an owner and in all', async () => {
  const semaphore = new FairSemaphore({ totalMax: 1, waitingMax: 2 })
  const release = await semaphore.acquire(requestOf(1))
  const first = semaphore.acquire(requestOf(2, { ownWaitingMax: 1 }))
  await expect(semaphore.acquire(requestOf(2, { ownWaitingMax: 1 }))).rejects.toThrow('refused: own')
  const second = semaphore.acquire(requestOf(3))
  await expect(semaphore.acquire(requestOf(4))).rejects.toThrow('refused: others')
  expect([semaphore.running, semaphore.waiting]).toEqual([1, 2])
  release()
  ;(await first)()
  ;(await second)()
  expect([semaphore.running, semaphore.waiting]).toEqual([0, 0])
})

test('one that waits begins when a slot is free, also after a failure', async () => {
  const semaphore = new FairSemaphore()
  const [first, second] = [openWork(), openWork()]
  const failing = semaphore.run(requestOf(1), async () => {
    await first.start()
    throw new Error('failed')
  })
  const running = semaphore.run(requestOf(1), second.start)
  const waiting = semaphore.run(requestOf(1), async () => 'begun')
  first.end('')
  await expect(failing).rejects.toThrow('failed')
  expect(await waiting).toBe('begun')
  second.end('done')
  expect(await running).toBe('done')
})

test('the next slot goes to the owner with the fewest running, and among equals to the first', async () => {
  const semaphore = new FairSemaphore({ totalMax: 3 })
  const begun: string[] = []
  const acquire = async (owner: number, name: string) => {
    const release = await semaphore.acquire({ ...requestOf(owner), ownMax: 3 })
    begun.push(name)
    return release
  }
  const releases = await Promise.all(['a', 'b', 'c'].map((name) => acquire(1, name)))
  const waiting = [acquire(1, 'd'), acquire(2, 'e'), acquire(2, 'f')]
  for (const release of releases) {
    release()
    await new Promise(setImmediate)
  }
  expect(begun).toEqual(['a', 'b', 'c', 'e', 'd', 'f'])
  for (const release of await Promise.all(waiting)) release()
})

test('a wait that is aborted ends with the reason, and leaves the queue', async () => {
  const semaphore = new FairSemaphore({ totalMax: 1 })
  const release = await semaphore.acquire(requestOf(1))
  const controller = new AbortController()
  const gone = semaphore.acquire({ ...requestOf(2), signal: controller.signal })
  const stays = semaphore.acquire(requestOf(2))
  controller.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  await expect(semaphore.acquire({ ...requestOf(2), signal: controller.signal })).rejects.toThrow('gone')
  release()
  ;(await stays)()
  expect(semaphore.running).toBe(0)
})

test('whatever comes and goes, no bound is passed and in the end all slots are free', async () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean()), { maxLength: 60 })
  const limits = fc.record({
    totalMax: fc.integer({ min: 1, max: 4 }),
    ownMax: fc.integer({ min: 1, max: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(steps, limits, async (taken, { totalMax, ownMax }) => {
      const semaphore = new FairSemaphore({ totalMax })
      const held: { owner: number; release: () => void }[] = []
      const waits = taken.map(async ([owner, ends]) => {
        held.push({ owner, release: await semaphore.acquire({ ...requestOf(owner), ownMax }) })
        expect(held.length).toBeLessThanOrEqual(totalMax)
        expect(held.filter((each) => each.owner === owner).length).toBeLessThanOrEqual(ownMax)
        if (ends) held.shift()?.release()
      })
      const all = Promise.all(waits).then(() => 'all')
      while ((await Promise.race([all, new Promise((next) => setImmediate(next, 'some'))])) === 'some') {
        held.shift()?.release()
      }
      for (const { release } of held.splice(0)) release()
      expect([semaphore.running, semaphore.waiting]).toEqual([0, 0])
    }),
  )
})
