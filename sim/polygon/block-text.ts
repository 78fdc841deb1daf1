import type { Block } from '../universe/block.js'
import { logsBloom } from './bloom.js'
import type { ChainNode, EncodedBlock } from './encoded-blocks.js'
import { derive, deriveBelow, quantity } from './hex.js'
import { BLOCK_GAS_MAX, baseFeeWei, gasUsed, transactionInBlock } from './transaction-text.js'

const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const EMPTY_TRIE = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const ZERO_HASH = `0x${'0'.repeat(64)}`
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
/** What a block producer writes before its seal of 65 bytes. */
const VANITY = `0xd88302020983626f7288676f312e32342e36856c696e7578${'0'.repeat(16)}`
const HEADER_BYTES = 620
const TRANSACTION_BYTES = 1_650

/** A header as the `newHeads` subscription shows it. */
export function showHeader(node: ChainNode, block: Block): string {
  return JSON.stringify(headerOf(node, block, node.blocks.get(block)))
}

/** A block with its transactions, or with their hashes alone. */
export function showBlock(node: ChainNode, block: Block, isFull: boolean): string {
  const encoded = node.blocks.get(block)
  return JSON.stringify({
    ...headerOf(node, block, encoded),
    size: quantity(HEADER_BYTES + TRANSACTION_BYTES * block.transactions.length),
    totalDifficulty: quantity(BigInt(block.number) * 22n),
    transactions: isFull
      ? encoded.transactions.map((_, index) => transactionInBlock(block, encoded, index))
      : block.transactions.map(({ hash }) => hash),
    uncles: [],
  })
}

function headerOf({ chain }: ChainNode, block: Block, { hash, transactions }: EncodedBlock) {
  const isEmpty = transactions.length === 0
  const logs = transactions.flatMap((each) => each.logs.map(({ body }) => body))
  return {
    baseFeePerGas: quantity(baseFeeWei(hash)),
    difficulty: quantity(1 + deriveBelow(hash, 'difficulty', 22)),
    extraData: `${VANITY}${derive(hash, 'seal').slice(2)}${derive(hash, 'seal end').slice(2)}01`,
    gasLimit: quantity(BLOCK_GAS_MAX),
    gasUsed: quantity(transactions.reduce((sum, each) => sum + gasUsed(each), 0)),
    hash,
    logsBloom: logsBloom(logs),
    // The producer signs in `extraData`; the field of the miner stays zero on this chain.
    miner: ZERO_ADDRESS,
    mixHash: ZERO_HASH,
    nonce: '0x0000000000000000',
    number: quantity(block.number),
    parentHash: chain.parentHashOf(block),
    receiptsRoot: isEmpty ? EMPTY_TRIE : derive(hash, 'receipts'),
    sha3Uncles: NO_UNCLES,
    stateRoot: derive(hash, 'state'),
    timestamp: quantity(block.timestampSec),
    transactionsRoot: isEmpty ? EMPTY_TRIE : derive(hash, 'transactions'),
  }
}
