// Refreshes the leaderboards of a database as the job does, and reports it. The argument says which, and when.
import { BoardRefresher } from '../dist/src/leaderboards/jobs.js'
import { createPool } from '../dist/src/store/connection.js'

const { target, nowMs } = JSON.parse(process.argv[2])
process.on('disconnect', () => process.exit())

const sql = createPool(target, 2)
await new BoardRefresher({ sql }, { now: () => nowMs }).run()
process.send?.('refreshed')
