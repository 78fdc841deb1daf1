import type { DecodedEvent } from '../../upstreams/polygon/events.js'
import { questionIdOf } from '../../upstreams/polygon/question-id.js'
import type { OracleFact } from './tape.js'

/** What an event has; the times may be absurd. */
type OracleStep = {
  kind: OracleFact['kind']
  question: string
  requestTime?: bigint
  requester?: string
  actor?: string
  proposer?: string
  price?: bigint
  payouts?: readonly bigint[]
  expiration?: bigint
}

/** `undefined`: the fact is no step in the life of a question. */
export function readOracleStep(fact: DecodedEvent): OracleStep | undefined {
  switch (fact.kind) {
    case 'requestPrice':
      return { ...request(fact), kind: 'requested', actor: fact.requester }
    case 'proposePrice':
      return {
        ...request(fact),
        kind: 'proposed',
        actor: fact.proposer,
        proposer: fact.proposer,
        price: fact.proposedPrice,
        expiration: fact.expirationTimestamp,
      }
    case 'disputePrice':
      return {
        ...request(fact),
        kind: 'disputed',
        actor: fact.disputer,
        proposer: fact.proposer,
        price: fact.proposedPrice,
      }
    case 'settlePrice':
      return { ...request(fact), kind: 'settled', proposer: fact.proposer, price: fact.price }
    case 'questionInitialized':
      return {
        kind: 'initialized',
        question: fact.questionId,
        requestTime: fact.requestTimestamp,
        actor: fact.creator,
      }
    case 'questionInitializedV1':
      return { kind: 'initialized', question: fact.questionId }
    case 'questionSettledV1':
      return { kind: 'settled', question: fact.questionId, price: fact.settledPrice }
    case 'questionResolved':
      return {
        kind: 'resolved',
        question: fact.questionId,
        price: fact.settledPrice,
        payouts: fact.payouts,
      }
    case 'questionResolvedV1':
      return {
        kind: fact.emergencyReport ? 'emergency_resolved' : 'resolved',
        question: fact.questionId,
      }
    case 'questionManuallyResolved':
      return { kind: 'manually_resolved', question: fact.questionId, payouts: fact.payouts }
    case 'questionEmergencyResolved':
      return { kind: 'emergency_resolved', question: fact.questionId, payouts: fact.payouts }
    case 'operatorQuestionReported':
    case 'operatorQuestionResolved':
    case 'operatorQuestionEmergencyResolved':
      return {
        kind: OPERATOR_STEPS[fact.kind],
        question: fact.questionId,
        payouts: fact.result ? [1n, 0n] : [0n, 1n],
      }
    case 'questionReset':
    case 'questionFlagged':
    case 'questionUnflagged':
    case 'questionPaused':
    case 'questionUnpaused':
    case 'operatorQuestionFlagged':
    case 'operatorQuestionUnflagged':
      return { kind: PLAIN_STEPS[fact.kind], question: fact.questionId }
    default:
      return undefined
  }
}

const OPERATOR_STEPS = {
  operatorQuestionReported: 'reported',
  operatorQuestionResolved: 'resolved',
  operatorQuestionEmergencyResolved: 'emergency_resolved',
} as const

const PLAIN_STEPS = {
  questionReset: 'reset',
  questionFlagged: 'flagged',
  questionUnflagged: 'unflagged',
  questionPaused: 'paused',
  questionUnpaused: 'unpaused',
  operatorQuestionFlagged: 'flagged',
  operatorQuestionUnflagged: 'unflagged',
} as const

type PriceRequest = { requester: string; ancillaryData: string; timestamp: bigint }

/** The oracle knows a question by its text, and by the adapter that asks it. */
function request({ requester, ancillaryData, timestamp }: PriceRequest) {
  return { question: questionIdOf(ancillaryData), requestTime: timestamp, requester }
}
