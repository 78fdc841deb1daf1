/**
 * Characters that show nothing, for the inside of a character class: spaces, the byte order mark, characters
 * of no width, marks of direction, and blank letters. Patterns of parameters have it, so it is written in what all
 * dialects of regular expressions know.
 */
export const BLANK_CHARACTERS =
  '\\s\\u0085\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0'
