import { expect, test } from 'vitest'
import { encodeAct } from '../../../sim/contracts/encode.js'
import { oneOfEach } from '../../../sim/contracts/fixtures/acts.js'
import { balancesOfLogs, balancesOfTape } from './fixtures/balances.js'
import { expectAct } from './fixtures/expect-act.js'
import { placeLogs } from './fixtures/placed-logs.js'
import { readTape } from './read-tape.js'

test.each(oneOfEach())('the tape tells as it was: $name', ({ act }) => {
  const logs = placeLogs(encodeAct(act))
  const tape = readTape({ logs, blocks: [] })
  expectAct(act, tape)
  expect(balancesOfTape(tape)).toEqual(balancesOfLogs(logs))
})
