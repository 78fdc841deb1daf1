/**
 * Characters that show nothing, for the inside of a character class: spaces, the byte order mark, characters
 * of no width, marks of direction, and blank letters. Patterns of parameters have it, so it is written in what all
 * dialects of regular expressions know.
 */
export const BLANK_CHARACTERS =
  '\\s\\u0085\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb'
