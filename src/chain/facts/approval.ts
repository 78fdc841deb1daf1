import type { FactKind, TimedOrigin } from './fact-kind.js'

/**
 * A wallet allowed a contract to move its structured positions or its collateral, or took that back.
 * Published and not stored: it moves nothing.
 */
export type ApprovalFact = TimedOrigin & {
  kind: 'positions' | 'collateral'
  owner: string
  operator: string
  isApproved: boolean
  /** Of collateral, in millionths; often the largest number there is. */
  allowance: bigint | undefined
}

export const APPROVALS: FactKind<ApprovalFact> = {}
