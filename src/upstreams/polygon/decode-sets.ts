import { START, WORD } from './abi.js'
import { dataAddress, dataArray, dataUint } from './data.js'
import { handwritten } from './event.js'
import type { ChainLog, LogPlace } from './log.js'
import { topicAddress, topicId } from './topics.js'

/** Collateral became a full set of outcome tokens, or a full set became collateral. */
type FullSet<Kind extends string> = {
  kind: Kind
  at: LogPlace
  stakeholder: string
  parentCollectionId: string
  conditionId: string
  collateralToken: string
  partition: bigint[]
  amount: bigint
}

const SHAPE = { indexed: 3, words: 3, isDynamic: true }

export const ctfSplit = handwritten<FullSet<'ctfSplit'>>(
  'ctfSplit',
  '0x2e6bb91f8cbcda0c93623c54d0403a43514fabc40084ec96b6d5379a74786298',
  SHAPE,
  (log) => toFullSet('ctfSplit', log),
)

export const ctfMerge = handwritten<FullSet<'ctfMerge'>>(
  'ctfMerge',
  '0x6f13ca62553fcc2bcd2372180a43949c1e4cebba603901ede2f4e14f36b282ca',
  SHAPE,
  (log) => toFullSet('ctfMerge', log),
)

function toFullSet<Kind extends string>(kind: Kind, { at, topics, data }: ChainLog): FullSet<Kind> {
  return {
    kind,
    at,
    stakeholder: topicAddress(topics[1]),
    parentCollectionId: topicId(topics[2]),
    conditionId: topicId(topics[3]),
    collateralToken: dataAddress(data, START),
    partition: dataArray(data, START + WORD, dataUint),
    amount: dataUint(data, START + 2 * WORD),
  }
}
