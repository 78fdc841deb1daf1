import { START, WORD } from './abi.js'
import { dataArray, dataId, dataUint } from './data.js'
import { handwritten } from './event.js'
import type { LogPlace } from './log.js'
import { topicAddress } from './topics.js'

/** Outcome tokens changed hands; the zero address makes and destroys them. */
type TransferSingle = {
  kind: 'transferSingle'
  at: LogPlace
  operator: string
  from: string
  to: string
  id: string
  value: bigint
}

type TransferBatch = {
  kind: 'transferBatch'
  at: LogPlace
  operator: string
  from: string
  to: string
  /** As long as `values` only if the contract made them so: compare before use. */
  ids: string[]
  values: bigint[]
}

export const transferSingle = handwritten<TransferSingle>(
  'transferSingle',
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  { indexed: 3, words: 2 },
  ({ at, topics, data }) => ({
    kind: 'transferSingle',
    at,
    operator: topicAddress(topics[1]),
    from: topicAddress(topics[2]),
    to: topicAddress(topics[3]),
    id: dataId(data, START),
    value: dataUint(data, START + WORD),
  }),
)

export const transferBatch = handwritten<TransferBatch>(
  'transferBatch',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
  { indexed: 3, words: 2, isDynamic: true },
  ({ at, topics, data }) => ({
    kind: 'transferBatch',
    at,
    operator: topicAddress(topics[1]),
    from: topicAddress(topics[2]),
    to: topicAddress(topics[3]),
    ids: dataArray(data, START, dataId),
    values: dataArray(data, START + WORD, dataUint),
  }),
)
