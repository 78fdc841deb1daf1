/** A row's values of the columns that order its list. Numbers that do not fit into a double are decimal text. */
export type OrderKey = readonly (number | string | null)[]

/** Which rows of a list are wanted. */
export type Page = {
  /** One more than is shown: whether it exists says whether there are more. */
  limit: number
  offset: number
  /** The order key of the row before the first one; `undefined`: from the beginning. */
  after: OrderKey | undefined
}
