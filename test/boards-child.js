// Refreshes the leaderboards of a database as the job does, and reports it. The argument says which, and when.
import { createBoardJob } from '../dist/src/leaderboards/domain.js'
import { createPool } from '../dist/src/store/connection.js'

const { target, nowMs } = JSON.parse(process.argv[2])
process.on('disconnect', () => process.exit())

const sql = createPool(target, 2)
await createBoardJob({ sql, clock: { now: () => nowMs } }, {}, {}).run(new AbortController().signal)
process.send?.('refreshed')
