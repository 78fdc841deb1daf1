import { formatTable } from '../lib/table.js'
import type { Finding } from './finding.js'

/** A table with a line for each check, and below it the first differences of those that failed. */
export function formatFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ check, looked, differences }) => [
    check,
    looked,
    String(differences),
    differences === 0 ? 'ok' : 'FAILED',
  ])
  const table = formatTable([['CHECK', 'LOOKED AT', 'DIFFERENCES', 'RESULT'], ...rows])
  return [table, ...findings.filter(({ differences }) => differences > 0).map(formatExamples)].join(
    '\n\n',
  )
}

function formatExamples({ check, differences, examples }: Finding): string {
  const more = differences - examples.length
  const lines = examples.map((example) => `  ${example}`)
  if (more > 0) lines.push(`  and ${more} more`)
  return [`${check}:`, ...lines].join('\n')
}
