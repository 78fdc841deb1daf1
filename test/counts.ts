/** Whether this is `npm run test:long`. */
export const isLong = process.env.AUSPEX_TEST_LONG === '1'

/**
 * How often a test repeats what it is about: few times in `npm test`, many in `npm run test:long`.
 * Both must show the guarantee; the long form is for what happens once in many runs.
 */
export const counts = <Value>({ short, long }: { short: Value; long: Value }): Value =>
  isLong ? long : short
