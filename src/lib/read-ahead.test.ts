import { expect, test } from 'vitest'
import { ReadAhead, readAhead } from './read-ahead.js'

function count(last: number) {
  const requested: number[] = []
  const state = { requested, isOver: false }
  async function* numbers() {
    try {
      for (let number = 1; number <= last; number++) {
        requested.push(number)
        yield number
      }
    } finally {
      state.isOver = true
    }
  }
  return { numbers: numbers(), state }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('requests as many items as configured, and for one more when one is taken', async () => {
  const { numbers, state } = count(10)
  const ahead = new ReadAhead(numbers, 3)
  await settled()
  expect(state.requested).toEqual([1, 2, 3])
  expect(await ahead.next).toEqual({ done: false, value: 1 })
  expect(await ahead.next).toEqual({ done: false, value: 1 })
  ahead.take()
  expect(await ahead.next).toEqual({ done: false, value: 2 })
  await settled()
  expect(state.requested).toEqual([1, 2, 3, 4])
})

test('ends the source when it is closed, and reports its end', async () => {
  const { numbers, state } = count(10)
  const ahead = new ReadAhead(numbers)
  await ahead.next
  ahead.close()
  await settled()
  expect(state.isOver).toBe(true)
  ahead.take()
  expect(await ahead.next).toEqual({ done: true, value: undefined })
})

test('gives every item in order, and then what went wrong', async () => {
  async function* broken() {
    yield 1
    yield 2
    throw new Error('no more')
  }
  const seen: number[] = []
  const reading = async () => {
    for await (const number of readAhead(broken())) seen.push(number)
  }
  await expect(reading()).rejects.toThrow('no more')
  expect(seen).toEqual([1, 2])
})
