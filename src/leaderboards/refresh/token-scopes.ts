import { tagSlug } from '../../lookups/tag-filter.js'
import type { Fragment, Sql } from '../../store/connection.js'
import type { BoardStep } from './step.js'

/**
 * Brings `board_tokens` up to date, for tokens with a position: those that are new, whose markets have other
 * tags, and those of reorganisations, which may have given the id to another token. Fills `moved_tokens`, and
 * returns how many there are.
 */
export async function updateTokenScopes({ tx, isRebuild }: BoardStep): Promise<number> {
  await (isRebuild ? listAllTokens(tx) : listTokens(tx))
  await addScopes(tx)
  await tx`
    create temp table token_scopes on commit drop as
    with event_scopes as (
      select named.event, array_agg(s.id order by s.id) as scopes
        from (${namedScopes(tx)}) named
        join board_scopes s on s.kind = named.kind and s.value = named.value
       group by named.event
    )
    select l.token,
           case when l.is_combo is null then null
                when l.is_combo = 1 then '{}'::integer[]
                else array[0] || coalesce(e.scopes, '{}') end as scopes
      from listed_tokens l
      left join event_scopes e on e.event = l.event`
  await tx`analyze token_scopes`
  const moved = isRebuild ? 0 : await moveTokens(tx)
  await tx`
    insert into board_tokens as b
    select token, scopes from token_scopes where scopes is not null
    on conflict (token) do update set scopes = excluded.scopes where b.scopes <> excluded.scopes`
  await tx`drop table token_scopes, listed_tokens`
  return moved
}

/** Tokens that have a position, with the event that they belong to. Index: positions_token. */
async function listAllTokens(tx: Sql): Promise<void> {
  await tx`
    create temp table listed_tokens on commit drop as
    select t.id as token, m.event, held.is_combo
      from tokens t
     cross join lateral (select p.is_combo from positions p where p.token = t.id limit 1) held
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market`
  await tx`delete from retagged_markets`
  await tx`analyze listed_tokens`
}

/** `is_combo` null: a reorganisation took the token's last position. Indexes: primary keys, positions_token. */
async function listTokens(tx: Sql): Promise<void> {
  await tx`
    create temp table listed_tokens on commit drop as
    with retagged as materialized (
      delete from retagged_markets returning market
    ), ids as materialized (
      select distinct c.token
        from changed_positions c
       where not exists (select from board_tokens b where b.token = c.token)
      union
      select token from rewound_positions
      union
      select t.id
        from (select distinct market from retagged) r
        join markets m on m.id = r.market
       cross join lateral unnest(m.tokens) named (token)
        join tokens t on t.token = named.token
        join board_tokens b on b.token = t.id
    )
    select i.token, m.event, held.is_combo
      from ids i
      left join lateral (
        select p.is_combo from positions p where p.token = i.token limit 1
      ) held on true
      left join tokens t on t.id = i.token
      left join market_tokens mt on mt.token = t.token
      left join markets m on m.id = mt.market`
  await tx`analyze listed_tokens`
}

/** The scopes of each event by their names. Tags that share a slug are one scope. Index: event_tags_pkey. */
const namedScopes = (tx: Sql): Fragment => tx`
  select distinct et.event, kind.kind, tag.value
    from (select distinct event from listed_tokens where is_combo = 0) e
    join event_tags et on et.event = e.event
   cross join lateral (
     select ${tagSlug(tx)} as value from tags where id = et.tag
   ) tag
   cross join (values ('category'), ('tag')) kind (kind)
   where tag.value is not null and (kind.kind = 'tag' or et.place = 0)`

/** Gives scopes that no token had before their ids. */
async function addScopes(tx: Sql): Promise<void> {
  await tx`
    insert into board_scopes (id, kind, value)
    select (select max(id) from board_scopes) + row_number() over (order by kind, value), kind, value
      from (select distinct kind, value from (${namedScopes(tx)}) named) named
     where not exists (select from board_scopes s
                        where s.kind = named.kind and s.value = named.value)`
}

/** Notes the tokens whose scopes change, before they do, and removes those without a position. */
async function moveTokens(tx: Sql): Promise<number> {
  const { count } = await tx`
    insert into moved_tokens
    select b.token, b.scopes, coalesce(t.scopes, '{}')
      from token_scopes t
      join board_tokens b on b.token = t.token
     where b.scopes is distinct from t.scopes`
  await tx`analyze moved_tokens`
  await tx`
    delete from board_tokens b using token_scopes t where t.token = b.token and t.scopes is null`
  return count
}
