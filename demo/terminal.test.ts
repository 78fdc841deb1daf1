import { expect, test, vi } from 'vitest'
import { Phases } from './terminal.js'

test('the bar of a phase ends full, at the number that it began with', () => {
  const written: string[] = []
  const lines = vi.spyOn(console, 'log').mockImplementation((line) => written.push(line))
  const phases = new Phases({ isTTY: true, write: (text) => written.push(text) })
  phases.show(20, { title: 'Ingesting', unit: 'blocks', total: 400 })
  phases.show(500, { title: 'Ingesting', unit: 'blocks', total: 480 })
  phases.end('Chain', '500 blocks ingested')
  lines.mockRestore()
  expect(written).toEqual([
    expect.stringMatching(/ 5 % {2}20 of 400 blocks/),
    expect.stringMatching(/ 100 % {2}400 of 400 blocks/),
    '\r\x1b[K',
    expect.stringMatching(/^Chain {5}500 blocks ingested +\d+\.\d s$/),
  ])
})
