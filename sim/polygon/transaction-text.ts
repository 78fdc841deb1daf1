import { transactionInput } from '../contracts/calldata.js'
import type { Block, Transaction } from '../universe/block.js'
import { logsBloom } from './bloom.js'
import type { EncodedBlock, EncodedTransaction } from './encoded-blocks.js'
import { derive, quantity, showList } from './hex.js'

const CHAIN_ID = '0x89'
const GAS_LIMIT = 4_000_000

/** A transaction as the mempool shows it. */
export function pendingTransaction(tx: Transaction) {
  return shapeTransaction(tx, quantity(FEE_WEI_MAX), {
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
  })
}

/** A transaction of a block, by its index in it. */
export function transactionInBlock(block: Block, encoded: EncodedBlock, index: number) {
  const { tx } = transactionAt(encoded, index)
  return shapeTransaction(tx, quantity(baseFeeWei(encoded.hash) + TIP_WEI), {
    blockHash: encoded.hash,
    blockNumber: quantity(block.number),
    transactionIndex: quantity(index),
  })
}

/** The JSON text of a receipt. */
export function showReceipt(block: Block, encoded: EncodedBlock, index: number): string {
  const transaction = transactionAt(encoded, index)
  const { tx, logs } = transaction
  const upToHere = encoded.transactions.slice(0, index + 1)
  const receipt = JSON.stringify({
    blockHash: encoded.hash,
    blockNumber: quantity(block.number),
    contractAddress: null,
    cumulativeGasUsed: quantity(upToHere.reduce((sum, each) => sum + gasUsed(each), 0)),
    effectiveGasPrice: quantity(baseFeeWei(encoded.hash) + TIP_WEI),
    from: tx.from,
    gasUsed: quantity(gasUsed(transaction)),
    logsBloom: logsBloom(logs.map(({ body }) => body)),
    status: '0x1',
    to: tx.to,
    transactionHash: tx.hash,
    transactionIndex: quantity(index),
    type: '0x2',
  })
  return `${receipt.slice(0, -1)},"logs":${showList(logs.map((log) => log.show()))}}`
}

type BlockPosition = {
  blockHash: string | null
  blockNumber: string | null
  transactionIndex: string | null
}

function shapeTransaction(tx: Transaction, gasPrice: string, position: BlockPosition) {
  const parity = quantity(Number.parseInt(tx.hash.slice(-1), 16) & 1)
  return {
    ...position,
    from: tx.from,
    gas: quantity(GAS_LIMIT),
    gasPrice,
    maxFeePerGas: quantity(FEE_WEI_MAX),
    maxPriorityFeePerGas: quantity(TIP_WEI),
    hash: tx.hash,
    input: transactionInput(tx.act),
    nonce: quantity(tx.nonce),
    to: tx.to,
    value: '0x0',
    type: '0x2',
    accessList: [],
    chainId: CHAIN_ID,
    v: parity,
    r: derive(tx.hash, 'r'),
    s: derive(tx.hash, 's'),
    yParity: parity,
  }
}

function transactionAt({ transactions }: EncodedBlock, index: number): EncodedTransaction {
  const found = transactions[index]
  if (found === undefined) throw new Error(`the block has no transaction ${index}`)
  return found
}

const GWEI = 1_000_000_000

export const TIP_WEI = 30 * GWEI
const FEE_WEI_MAX = 400 * GWEI
export const BLOCK_GAS_MAX = 45_000_000

/** Most of the gas goes into changed balances, and each of those leaves a log. */
export function gasUsed({ tx, logs }: EncodedTransaction): number {
  return 52_000 + 33_000 * logs.length + Number.parseInt(tx.hash.slice(2, 5), 16)
}

/** Around 27 gwei, by the hash of the block. */
export function baseFeeWei(blockHash: string): number {
  return 25 * GWEI + Number.parseInt(blockHash.slice(2, 10), 16)
}
