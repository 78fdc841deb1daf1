import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Agenda } from './agenda.js'

const times = fc.array(fc.integer({ min: 0, max: 60_000 }))

test('everything is due once when time passes in steps, in the order of its seconds', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 9 }), (planned, step) => {
      const agenda = new Agenda<number>()
      for (const atMs of planned) agenda.add(atMs, atMs)
      const due: number[] = []
      for (let sec = -1; sec < 60; sec += step) due.push(...agenda.due(sec, sec + step))
      expect(due.toSorted()).toEqual(planned.toSorted())
      const seconds = due.map((atMs) => Math.ceil(atMs / 1000))
      expect(seconds).toEqual(seconds.toSorted((a, b) => a - b))
    }),
  )
})

test('what is due is due again until it is forgotten', () => {
  const agenda = new Agenda<string>()
  agenda.add(1_000, 'on the second')
  agenda.add(1_001, 'just after it')
  agenda.add(2_000, 'and on the next')
  expect(agenda.due(0, 1)).toEqual(['on the second'])
  expect(agenda.due(0, 2)).toEqual(['on the second', 'just after it', 'and on the next'])
  expect(agenda.due(1, 2)).toEqual(['just after it', 'and on the next'])
  agenda.forget(0, 1)
  expect(agenda.due(0, 2)).toEqual(['just after it', 'and on the next'])
})
