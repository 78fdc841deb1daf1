// Books the chain of a node into a database until it is killed. The argument says which, and how.
import { Registry } from 'prom-client'
import { Follower } from '../dist/src/chain/follow/follower.js'
import { withLease } from '../dist/src/chain/follow/lease.js'
import { createFollowMetrics, FollowStatus } from '../dist/src/chain/follow/status.js'
import { BlockWriter } from '../dist/src/chain/write/block-writer.js'
import { systemClock } from '../dist/src/core/clock.js'
import { createLog } from '../dist/src/lib/log.js'
import { createPool } from '../dist/src/store/connection.js'
import { PolygonClient } from '../dist/src/upstreams/polygon/client.js'
import { PolygonSocket } from '../dist/src/upstreams/polygon/socket.js'
import { createUpstreamMetrics } from '../dist/src/upstreams/transport/metrics.js'

const { target, url, wsUrl, startBlock, pollMs, batchLimits } = JSON.parse(process.argv[2])
const report = (state) => process.send?.(state)
process.on('disconnect', () => process.exit())

const log = createLog('error', process.stderr)
const shared = { metrics: createUpstreamMetrics(new Registry()), clock: systemClock, log }
const polygon = new PolygonClient({ ...shared, url, callsPerSecond: 10_000 })
const openSocket = (listener) => new PolygonSocket({ ...shared, url: wsUrl }, listener)
const status = new FollowStatus(systemClock, createFollowMetrics(new Registry()))

const reportBooked = () => report('booked')
const listener = { onBooked: () => reportBooked, onReverted: reportBooked }

async function lead(signal) {
  const line = await BlockWriter.open({ pool: createPool(target, 2), listeners: [listener] })
  report('leading')
  const options = { polygon, openSocket, sink: line, startBlock, status, log, batchLimits }
  await new Follower(options).run(signal)
}

const onStandby = () => report('standby')
await withLease({ target, log, pollMs, onStandby }, lead, new AbortController().signal)
