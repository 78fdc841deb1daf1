import { loadConfig } from '../../src/config/config.js'
import { systemClock } from '../../src/core/clock.js'
import { keepHeapSmall } from '../../src/lib/heap.js'
import { createLog } from '../../src/lib/log.js'
import { startService } from '../../src/service.js'

// The whole service in a process of its own, at the time of day of the universe that it follows.

export type ServeRequest = { env: NodeJS.ProcessEnv; offsetMs: number }

keepHeapSmall()

process.once('message', async ({ env, offsetMs }: ServeRequest) => {
  const { config } = loadConfig(env)
  const log = createLog('error', process.stderr)
  const clock = { now: () => systemClock.now() + offsetMs }
  const service = await startService(config, { command: 'bench', log, clock })
  await service.ready
  process.send?.(Number(new URL(service.url).port))
})
