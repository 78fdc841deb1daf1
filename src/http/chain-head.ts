import type { FastifyInstance, FastifyRequest, onSendAsyncHookHandler, preHandlerHookHandler } from 'fastify'
import { Type } from 'typebox'
import { type ChainHead, type ChainStatus, isHeadRead } from '../core/chain-status.js'
import { badRequest } from '../core/errors.js'
import type { Platform } from '../platform.js'
import { type StatePoint, selectDatabaseState } from '../store/replicas/database-state.js'
import { setHeaders } from './request-headers.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer depends on the chain: its headers name the last booked block. */
    dependsOnChain?: boolean
  }
  interface FastifyRequest {
    /** The block that the answer names: the last one when its work began. `undefined`: the answer is not about the chain, or the block is not known. */
    namedHead: ChainHead | undefined
    /** The oldest state that may be read for the answer, where the last block was read from the primary. */
    fork: KnownFork | undefined
  }
}

const HEAD_BLOCK = 'x-head-block'
const BLOCK_MAX = 9_999_999_999

/** The primary after the request came: its last block and the number of its last reorganisation. */
type KnownFork = Pick<StatePoint, 'block' | 'reorg'>

type HeadDeps = Pick<Platform, 'clock' | 'sql'>

/**
 * Adds the last booked block and its age to every answer about the chain, which explains an empty one. A client that
 * sends the block of an earlier answer gets none from before it, whichever process and server it is answered by.
 */
export function showChainHead(app: FastifyInstance, platform: HeadDeps, chain: ChainStatus): void {
  const { clock } = platform
  app.decorateRequest('namedHead', undefined)
  app.decorateRequest('fork', undefined)
  /**
   * A block number alone does not say which fork it is of, so its fork is read from the primary, which has every
   * block that any replica has.
   */
  const findFork = async (request: FastifyRequest) => {
    const { block, timeSec, reorg } = await selectDatabaseState(platform.sql)
    request.fork = { block, reorg }
    // Another process may have booked blocks that this one learns of later, or while the primary answers.
    request.namedHead = { block, timeSec }
  }
  // With callbacks: most requests have nothing to wait for.
  const nameHead: preHandlerHookHandler = (request, _reply, done) => {
    const known = request.headers[HEAD_BLOCK]
    if (known !== undefined && !isBlock(known)) return done(wrongBlock())
    if (isHeadRead(chain)) request.namedHead = chain.head
    // A process that has just started would name block 0, which clients take for an empty database.
    if (known === undefined && isHeadRead(chain)) return done()
    findFork(request).then(() => done(), done)
  }
  const addHead: onSendAsyncHookHandler = async (request, reply, payload) => {
    const head = request.namedHead ?? (isHeadRead(chain) ? chain.head : undefined)
    if (head !== undefined) setHeaders(reply, headHeaders(head, clock.now()))
    return payload
  }
  app.addHook('onRoute', (route) => {
    const { dependsOnChain = false, cacheMs } = route.config ?? {}
    if (!dependsOnChain) return
    route.preHandler = [nameHead, route.preHandler ?? []].flat()
    // Cached answers bring the head of the moment when they were made.
    if (cacheMs === undefined) route.onSend = [addHead, route.onSend ?? []].flat()
  })
}

const isBlock = (text: unknown): boolean => typeof text === 'string' && /^\d{1,10}$/.test(text)

const wrongBlock = () =>
  badRequest(`Invalid header ${HEAD_BLOCK}: it is the number of a block, as answers have it.`)

/** The header as the OpenAPI document has it, for the operations whose answers name a block. */
export const HeadBlockHeader = Type.Object({
  [HEAD_BLOCK]: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: BLOCK_MAX,
      description:
        '`x-head-block` of an earlier answer: this one is not from before that block, whichever process and database answer.',
    }),
  ),
})

/** Names and values alternate. Before the first block: block 0 without an age. */
export function headHeaders({ block, timeSec }: ChainHead, nowMs: number): string[] {
  const headers = [HEAD_BLOCK, `${block}`]
  if (timeSec === 0) return headers
  return [...headers, 'x-head-age', `${Math.max(0, Math.floor(nowMs / 1000) - timeSec)}`]
}
