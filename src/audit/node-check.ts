import { setTimeout as sleep } from 'node:timers/promises'
import { readState } from '../chain/write/state.js'
import { messageOf } from '../core/errors.js'
import type { Sql } from '../store/connection.js'
import type { PolygonClient } from '../upstreams/polygon/client.js'
import { count, type Finding } from './finding.js'

type Node = Pick<PolygonClient, 'getBlock' | 'getBlockNumber'>

/** While blocks are replaced, node and ledger disagree for a moment. */
const TRIES = 4
const RETRY_MS = 2_000

/**
 * The last block that is booked is a block of the node's chain. A node that is not there yet, is far
 * ahead or gives no answer is no difference. Looks at what is booked now: a node has no snapshot.
 */
export async function checkNode(sql: Sql, node: Node, retryMs = RETRY_MS): Promise<Finding> {
  let answer = await compare(sql, node)
  for (let tries = 1; tries < TRIES && answer.difference !== undefined; tries++) {
    await sleep(retryMs)
    answer = await compare(sql, node)
  }
  const { looked, difference } = answer
  const examples = difference === undefined ? [] : [difference]
  return { check: 'node', looked, differences: examples.length, examples }
}

async function compare(
  sql: Sql,
  node: Node,
): Promise<{ looked: string; difference?: string | undefined }> {
  const { cursor } = await readState(sql)
  if (cursor === undefined) return { looked: 'nothing is booked yet' }
  try {
    const block = await node.getBlock(cursor.block)
    const behind = (await node.getBlockNumber()) - cursor.block
    if (block === undefined) return { looked: `the node does not have block ${cursor.block} yet` }
    const looked = `block ${cursor.block}, ${behind > 0 ? `${count(behind, 'block')} behind` : 'at the head'}`
    if (block.hash === cursor.hash) return { looked }
    const difference = `block ${cursor.block} is booked as ${cursor.hash}, the node has ${block.hash}`
    return { looked, difference }
  } catch (error) {
    return { looked: `nothing: ${messageOf(error)}` }
  }
}
