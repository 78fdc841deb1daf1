import { AuspexClient, type StreamEvent, type StreamGap } from 'auspex-client'
import { CHAIN_EVENTS } from './recorder.js'

/** All confirmed events of the chain, as the published client has them until it is closed. */
export function recordAsClient(baseUrl: string, apiKey: string) {
  const client = new AuspexClient({ baseUrl, apiKey })
  const filters = { event_types: [...CHAIN_EVENTS] as ('trade' | 'reorg')[], status: 'confirmed' as const }
  const stream = client.subscribe({ type: 'global', filters, snapshotCount: 0 })
  const items: (StreamEvent | StreamGap)[] = []
  const statuses: string[] = []
  stream.onStatus((status) => statuses.push(status))
  void (async () => {
    for await (const item of stream) items.push(item)
  })()
  const connections = () => statuses.filter((status) => status === 'open').length
  return { items, connections, close: () => client.close() }
}
