import type { ServerReport, ServerRequest } from './workload.js'

type Served = {
  port: number
  /** `begin` is called when everything is prepared that is not to be measured. */
  publish: (count: number, perSecond: number, begin: () => void) => Promise<void>
  takeDelays?: () => number[]
}

/** The side of a server process: publishes and reports when the bench asks for it. */
export function serveBench({ port, publish, takeDelays }: Served): void {
  let cpu = process.cpuUsage()
  const begin = () => {
    cpu = process.cpuUsage()
  }
  const report = (): ServerReport => {
    const { user, system } = process.cpuUsage(cpu)
    // Absent unless the process was started with --expose-gc.
    globalThis.gc?.()
    const { rss, heapUsed, external } = process.memoryUsage()
    return {
      cpuSeconds: (user + system) / 1e6,
      residentBytes: rss,
      objectBytes: heapUsed + external,
      delaysMs: takeDelays?.() ?? [],
    }
  }
  process.on('message', async (request: ServerRequest) => {
    if ('count' in request) await publish(request.count, request.perSecond, begin)
    else process.send?.(report())
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ port })
}
