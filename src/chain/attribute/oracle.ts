import { questionIdOf } from '../../upstreams/polygon/decode-oracle.js'
import type { DecodedEvent } from '../../upstreams/polygon/events.js'
import type { OracleFact } from '../facts/oracle-event.js'

/** The fields of an event. The times are not checked yet. */
type OracleStep = Pick<
  OracleFact,
  'kind' | 'question' | 'requester' | 'actor' | 'proposer' | 'price' | 'payouts' | 'bond'
> & { requestTime?: bigint; expiration?: bigint }

/** `undefined`: the event is no step in the life of a question. */
export function toOracleStep(event: DecodedEvent): OracleStep | undefined {
  switch (event.kind) {
    case 'requestPrice':
      return { ...request(event), kind: 'requested', actor: event.requester }
    case 'proposePrice': {
      const { proposer, proposedPrice: price, expirationTimestamp: expiration } = event
      return { ...request(event), kind: 'proposed', actor: proposer, proposer, price, expiration }
    }
    case 'disputePrice': {
      const { disputer: actor, proposer, proposedPrice: price } = event
      return { ...request(event), kind: 'disputed', actor, proposer, price }
    }
    case 'settlePrice':
      return { ...request(event), kind: 'settled', proposer: event.proposer, price: event.price }
    case 'questionInitialized': {
      const { questionId: question, requestTimestamp: requestTime, creator: actor } = event
      return { kind: 'initialized', question, requestTime, actor, bond: event.proposalBond }
    }
    case 'questionInitializedV1':
      return { kind: 'initialized', question: event.questionId, bond: event.proposalBond }
    case 'questionSettledV1':
      return { kind: 'settled', question: event.questionId, price: event.settledPrice }
    case 'questionResolved': {
      const { questionId: question, settledPrice: price, payouts } = event
      return { kind: 'resolved', question, price, payouts }
    }
    case 'questionResolvedV1': {
      const kind = event.emergencyReport ? 'emergency_resolved' : 'resolved'
      return { kind, question: event.questionId }
    }
    case 'questionManuallyResolved':
      return { kind: 'manually_resolved', question: event.questionId, payouts: event.payouts }
    case 'questionEmergencyResolved':
      return { kind: 'emergency_resolved', question: event.questionId, payouts: event.payouts }
    case 'operatorQuestionReported':
    case 'operatorQuestionResolved':
    case 'operatorQuestionEmergencyResolved':
      return {
        kind: OPERATOR_STEPS[event.kind],
        question: event.questionId,
        payouts: event.result ? [1n, 0n] : [0n, 1n],
      }
    case 'questionReset':
    case 'questionFlagged':
    case 'questionUnflagged':
    case 'questionPaused':
    case 'questionUnpaused':
    case 'operatorQuestionFlagged':
    case 'operatorQuestionUnflagged':
      return { kind: PLAIN_STEPS[event.kind], question: event.questionId }
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

/** UMA identifies a question by its text and by the adapter that requests it. */
function request({ requester, ancillaryData, timestamp }: PriceRequest) {
  return { question: questionIdOf(ancillaryData), requestTime: timestamp, requester }
}
