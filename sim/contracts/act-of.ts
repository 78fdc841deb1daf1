import type { Act } from '../universe/acts.js'

export type ActOf<Kind extends Act['kind']> = Extract<Act, { kind: Kind }>
