import type { Faults } from '../server/faults.js'
import type { HostParts, Peer } from '../server/handlers.js'
import { hash32 } from '../universe/random.js'
import type { Universe } from '../universe/universe.js'
import { type ChainNode, EncodedBlocks, type NodeLimits } from './encoded-blocks.js'
import { LaggingChain } from './lagging-chain.js'
import { callMethod } from './methods.js'
import { answerRpc, type RpcCall } from './rpc.js'
import { RpcError } from './rpc-error.js'
import { Subscriptions } from './subscriptions.js'

/** What a public node allows. */
const LIMITS: NodeLimits = { rangeBlocksMax: 10_000, logsMax: 20_000 }

/** A Polygon node: JSON-RPC over HTTP and over WebSocket. */
export function createPolygonHost(
  universe: Universe,
  faults: Faults,
  limits: NodeLimits = LIMITS,
): HostParts {
  const blocks = new EncodedBlocks(universe.chain)
  const node: ChainNode = { universe, chain: universe.chain, faults: faults.of('polygon'), blocks, limits }
  const lagging: ChainNode = { ...node, chain: new LaggingChain(universe, node.faults) }
  const subscriptions = new Subscriptions(node)
  // By chance, though always the same: a client that makes two requests at a time would meet one of them for ever.
  let requests = 0
  const takesSecondNode = () => {
    const fault = node.faults.get('two-nodes')
    return fault !== undefined && hash32(universe.seed, requests++) < fault.rate * 2 ** 32
  }

  return {
    http({ method, body }) {
      if (method !== 'POST') return { status: 405, body: { error: 'method not allowed' } }
      const asked = takesSecondNode() ? lagging : node
      const isReversed = node.faults.hits('reordered')
      return { status: 200, body: answerRpc(body, createHttpCall(asked), isReversed) ?? '' }
    },
    connect(peer) {
      const call = createSocketCall(node, subscriptions, peer)
      peer.onText((text) => {
        const answer = answerRpc(text, call)
        if (answer !== undefined) peer.send(answer)
      })
      peer.onClose(() => subscriptions.removeAll(peer))
    },
  }
}

function createHttpCall(node: ChainNode): RpcCall {
  return (method, params) => {
    if (method === 'eth_subscribe' || method === 'eth_unsubscribe') {
      throw new RpcError(-32601, 'notifications not supported')
    }
    return callMethod(node, method, params)
  }
}

function createSocketCall(node: ChainNode, subscriptions: Subscriptions, peer: Peer): RpcCall {
  return (method, params) => {
    switch (method) {
      case 'eth_subscribe':
        return `"${subscriptions.add(peer, params)}"`
      case 'eth_unsubscribe':
        subscriptions.remove(peer, params)
        return 'true'
      default:
        return callMethod(node, method, params)
    }
  }
}
