/** A whole post of each kind, made of the contract's shapes, and every place in it. A new field is in them at once. */
import { isObjectType } from 'graphql';
import { z } from 'zod';
import { photonetPostShape, pnetPostShape } from '../../src/capabilities/posts/shapes.ts';
import { schema } from '../support/schema.ts';

export type Path = readonly (string | number)[];

export interface Place {
  /** From the post to the key. */
  readonly path: Path;
  /** By each variant of the object: GraphQL has one type for all of them. */
  readonly required: boolean;
  /** And no time. */
  readonly isNumber: boolean;
}

export interface KindOfPost {
  readonly typeName: 'PnetPost' | 'PhotonetPost';
  /** With every key, and an attachment of each type. */
  readonly post: unknown;
  readonly places: readonly Place[];
}

/** What must be of a form of its own. All other text is its own path. */
const texts: Readonly<Record<string, string>> = { parsed_datetime: '2026-11-19T12:00:00.000Z' };

/** Times of the contract: their field has a `DateTime`. */
export const times: ReadonlySet<unknown> = new Set([
  'created_at',
  'starts_at',
  'expires_at',
  'url_expires_at',
  'parsed_datetime',
]);

/** The objects whose fields stand beside those around them in GraphQL. */
const unwrapped: ReadonlySet<unknown> = new Set(['permissions', 'size']);

/** @param requires whether a key that the object must have may be required of it */
function build(shape: unknown, path: Path, places: Place[], requires = (_key: string) => true): unknown {
  if (shape instanceof z.ZodOptional) return build(shape.unwrap(), path, places, requires);
  if (shape instanceof z.ZodArray) {
    const variants = entries(shape.element);
    const inAll = (key: string) => variants.every((each) => !(each instanceof z.ZodObject) || key in each.shape);
    return variants.map((each, at) => build(each, [...path, at], places, inAll));
  }
  if (shape instanceof z.ZodObject) {
    return Object.fromEntries(
      Object.entries(shape.shape).map(([key, value]) => {
        const at = [...path, key];
        const isOptional = value instanceof z.ZodOptional;
        const required = !isOptional && requires(key);
        const isNumber = !times.has(key) && (isOptional ? value.unwrap() : value) instanceof z.ZodNumber;
        places.push({ path: at, required, isNumber });
        return [key, build(value, at, places, unwrapped.has(key) ? () => required : undefined)];
      }),
    );
  }
  if (shape instanceof z.ZodLiteral) return shape.value;
  if (shape instanceof z.ZodEnum) return shape.options[0];
  if (shape instanceof z.ZodNumber) return places.length;
  if (shape instanceof z.ZodBoolean) return true;
  if (shape instanceof z.ZodString) return texts[String(path.at(-1))] ?? path.join('.');
  throw new Error(`No value is known for ${path.join('.')}`);
}

/** A list has an entry of each variant. */
const entries = (element: unknown): readonly unknown[] =>
  element instanceof z.ZodDiscriminatedUnion ? element.options : [element];

function kind(typeName: KindOfPost['typeName'], shape: z.ZodType): KindOfPost {
  const places: Place[] = [];
  const post = build(shape, [], places);
  return { typeName, post, places };
}

export const kindsOfPost: readonly KindOfPost[] = [
  kind('PnetPost', pnetPostShape),
  kind('PhotonetPost', photonetPostShape),
];

/** A copy in which the value at the path is another; undefined removes the key. */
export function withValue(whole: unknown, [step, ...rest]: Path, value: unknown): unknown {
  const copy = structuredClone(whole) as Record<string | number, unknown>;
  if (step === undefined) return value;
  if (rest.length > 0) copy[step] = withValue(copy[step], rest, value);
  else if (value === undefined) delete copy[step];
  else copy[step] = value;
  return copy;
}

/** The keys whose fields have other names than the contract's in camelCase. */
const renamed: Readonly<Record<string, string>> = {
  id: 'providerId',
  share_url: 'url',
  parsed_datetime: 'publishedAt',
  reaction_counter: 'reactionCount',
  comment_counter: 'commentCount',
  repost_counter: 'repostCount',
  impressions_counter: 'impressionCount',
  like_count: 'reactionCount',
  has_liked: 'hasReacted',
  owner: 'author',
  profile_pic_url: 'profilePictureUrl',
  like_and_view_counts_disabled: 'hasLikeAndViewCountsDisabled',
  comments_disabled: 'hasCommentsDisabled',
  edited: 'isEdited',
  private: 'isPrivate',
  win: 'isWinner',
  votes_count: 'voteCount',
  total_votes_count: 'voteCount',
  unavailable: 'isUnavailable',
  sticker: 'isSticker',
  gif: 'isGif',
  voice_note: 'isVoiceNote',
  impressions: 'impressionCount',
  engagements: 'engagementCount',
  clicks: 'clickCount',
  page_viewers_from_this_post: 'pageViewerCount',
  followers_gained_from_this_post: 'gainedFollowerCount',
  members_reached: 'reachedMemberCount',
  can_post_comments: 'canComment',
};

/** The field of a post that has the value under the key. */
export const graphqlName = (key: string): string =>
  renamed[key] ?? key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The object as GraphQL shows it, under the contract's keys. */
export const withoutWrappers = (wire: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(wire).flatMap(([key, value]) => (unwrapped.has(key) ? Object.entries(value ?? {}) : [[key, value]])),
  );

/** The path of a place in the answer. */
export const inGraphQL = (path: Path): Path =>
  path.filter((step) => !unwrapped.has(step)).map((step) => (typeof step === 'string' ? graphqlName(step) : step));

/** The paths of a place in the answer: of one whose object GraphQL does not have, those of its fields. */
export function shownAt(post: unknown, path: Path): readonly Path[] {
  if (!unwrapped.has(path.at(-1))) return [inGraphQL(path)];
  const fields = path.reduce((inner: unknown, step) => Reflect.get(Object(inner), step), post);
  return Object.keys(Object(fields)).map((key) => inGraphQL([...path, key]));
}

/** The objects of the contract that have the fields of an interface as well, some of them under a second name. */
const sharing: Readonly<Record<string, z.ZodObject>> = {
  PnetPost: pnetPostShape,
  PnetAuthor: pnetPostShape.shape.author,
  PhotonetPost: photonetPostShape,
  PhotonetAuthor: photonetPostShape.shape.owner,
};

/** The fields of an interface that the contract has under another name, as `Type.field`. */
export const sharedNames: readonly string[] = Object.entries(sharing).flatMap(([typeName, { shape }]) => {
  const type = schema.getType(typeName);
  const own = Object.keys(shape).map(graphqlName);
  const shared = isObjectType(type) ? type.getInterfaces().flatMap((each) => Object.keys(each.getFields())) : [];
  return [...new Set(shared)]
    .filter((name) => name !== 'id' && !own.includes(name))
    .map((name) => `${typeName}.${name}`);
});
