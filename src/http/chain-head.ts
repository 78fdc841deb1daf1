import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify'
import type { ChainHead, ChainStatus } from '../core/chain-status.js'
import type { Clock } from '../core/clock.js'
import { setHeaders } from './request-headers.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer depends on the chain: its headers name the last booked block. */
    dependsOnChain?: boolean
  }
}

/** Adds the last booked block and its age to every answer about the chain, which explains an empty one. */
export function showChainHead(app: FastifyInstance, clock: Clock, chain: ChainStatus): void {
  const addHead: onSendAsyncHookHandler = async (_request, reply, payload) => {
    setHeaders(reply, headHeaders(chain.head, clock.now()))
    return payload
  }
  app.addHook('onRoute', (route) => {
    const { dependsOnChain = false, cacheMs } = route.config ?? {}
    // Cached answers bring the head of the moment when they were made.
    if (!dependsOnChain || cacheMs !== undefined) return
    route.onSend = [addHead, route.onSend ?? []].flat()
  })
}

/** Names and values in turn. Before the first block: block 0 without an age. */
export function headHeaders({ block, timeSec }: ChainHead, nowMs: number): string[] {
  const headers = ['x-head-block', `${block}`]
  if (timeSec === 0) return headers
  return [...headers, 'x-head-age', `${Math.max(0, Math.floor(nowMs / 1000) - timeSec)}`]
}
