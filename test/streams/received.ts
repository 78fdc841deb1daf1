import type { Json } from '../strict-client/shape.js'

/** A message of a stream, as a client has it. */
export type Received = { seq: number; type: string; data: Json }

/**
 * What holds of the messages about blocks: a `reorg` takes back everything above its fork. Pending
 * ones are of no block and stay.
 */
export function applyReorgs(messages: readonly Received[]): Received[] {
  let standing: Received[] = []
  for (const message of messages) {
    if (message.type !== 'reorg') standing.push(message)
    else {
      const forkBlock = Number(message.data.fork_block)
      standing = standing.filter(({ data }) => Number(data.block_number ?? 0) <= forkBlock)
    }
  }
  return standing
}
