import { Counter, Gauge, type Registry } from 'prom-client'
import type { Connections } from './connections.js'

/** The connections themselves are counted when the metrics are read. */
export function createSocketMetrics(registry: Registry, connections: Connections) {
  const registers = [registry]
  const common = { registers }
  new Gauge({
    ...common,
    name: 'auspex_ws_connections',
    help: 'Open WebSockets, by socket: events, orderbook',
    labelNames: ['socket'] as const,
    collect() {
      const all = [...connections]
      for (const socket of ['events', 'orderbook'] as const) {
        this.set({ socket }, all.filter((connection) => connection.socket === socket).length)
      }
    },
  })
  new Gauge({
    ...common,
    name: 'auspex_ws_firehose_connections',
    help: 'Open WebSockets with a subscription without a narrowing filter',
    collect() {
      this.set(countFirehoses(connections))
    },
  })
  new Gauge({
    ...common,
    name: 'auspex_ws_waiting_bytes',
    help: 'Bytes that wait for clients; frames that several clients wait for count for each',
    collect() {
      this.set([...connections].reduce((sum, { waitingBytes }) => sum + waitingBytes, 0))
    },
  })
  return {
    opened: new Counter({
      ...common,
      name: 'auspex_ws_opened_total',
      help: 'WebSockets that were admitted, by socket',
      labelNames: ['socket'] as const,
    }),
    closed: new Counter({
      ...common,
      name: 'auspex_ws_closed_total',
      help: 'WebSockets that ended, by the close code of the service; client: the client ended it',
      labelNames: ['code'] as const,
    }),
    refused: new Counter({
      ...common,
      name: 'auspex_ws_refused_total',
      help: 'WebSockets that were not admitted, by reason',
      labelNames: ['reason'] as const,
    }),
    sentBytes: new Counter({
      ...common,
      name: 'auspex_ws_sent_bytes_total',
      help: 'Payload bytes of live messages that were sent, by meter',
      labelNames: ['meter'] as const,
    }),
  }
}

export const countFirehoses = (connections: Connections): number =>
  [...connections].filter(({ hasFirehose }) => hasFirehose).length
