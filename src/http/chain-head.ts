import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify'
import type { Context } from '../context.js'
import type { StatusBoard } from '../status/board.js'
import { setHeaders } from './request-headers.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer tells facts of the chain: its headers say how far the chain is known. */
    isOfChain?: boolean
  }
}

/** The last block that is booked. */
export type ChainHead = { block: number; timeSec: number }

/** Shows with every answer about the chain how old it may be, so that an empty one is never unexplained. */
export function showChainHead(app: FastifyInstance, ctx: Context): void {
  const addHead: onSendAsyncHookHandler = async (_request, reply, payload) => {
    setHeaders(reply, headHeaders(readHead(ctx.status), ctx.clock.now()))
    return payload
  }
  app.addHook('onRoute', (route) => {
    const { isOfChain = false, cacheMs } = route.config ?? {}
    // Cached answers bring the head of the moment when they were made.
    if (!isOfChain || cacheMs !== undefined) return
    route.onSend = [addHead, route.onSend ?? []].flat()
  })
}

export const readHead = ({ latestBlock, latestBlockSec }: StatusBoard): ChainHead => ({
  block: latestBlock,
  timeSec: latestBlockSec,
})

/** Names and values in turn. Nothing is known of the chain yet: block 0 without an age. */
export function headHeaders({ block, timeSec }: ChainHead, nowMs: number): string[] {
  const headers = ['x-head-block', `${block}`]
  if (timeSec === 0) return headers
  return [...headers, 'x-head-age', `${Math.max(0, Math.floor(nowMs / 1000) - timeSec)}`]
}
