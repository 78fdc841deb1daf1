import { transactionInput } from '../contracts/calldata.js'
import type { Block, Transaction } from '../universe/block.js'
import { logsBloom } from './bloom.js'
import type { EncodedBlock, EncodedTransaction } from './encoded-blocks.js'
import { baseFeeWei, FEE_WEI_MAX, gasUsed, TIP_WEI } from './gas.js'
import { derive, quantity } from './hex.js'
import { showList } from './json-list.js'

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

type Place = {
  blockHash: string | null
  blockNumber: string | null
  transactionIndex: string | null
}

function shapeTransaction(tx: Transaction, gasPrice: string, place: Place) {
  const parity = quantity(Number.parseInt(tx.hash.slice(-1), 16) & 1)
  return {
    ...place,
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
