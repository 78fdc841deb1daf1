import type { HostFaults } from '../server/faults.js'
import type { Universe } from '../universe/universe.js'
import type { EncodedBlocks } from './encoded-blocks.js'

export type NodeLimits = { rangeBlocksMax: number; logsMax: number }

/** What every method of the node works on. */
export type ChainNode = {
  universe: Universe
  faults: HostFaults
  blocks: EncodedBlocks
  limits: NodeLimits
}
