/** Deliberate faults of the compiler and of the runner, each of which the differential test must find. */
import { type DocumentNode, visit } from 'graphql';
import type { Values } from '../../src/graphql/documents/variables.ts';
import type { CompiledOperation } from '../../src/graphql/executors/compiled/operation.ts';
import type { CompiledReading } from '../../src/graphql/executors/compiled/reading.ts';
import type { PageSource } from '../../src/kernel/page-source.ts';
import type { Part, SplicePlan } from '../../src/splice/plan.ts';
import type { PrintOptions, Splice } from '../../src/splice/splicer.ts';
import type { Subject } from './differential.ts';

/** What the differential test runs at the least. */
export const leastPairs = 1_000;
export const firstSeed = 20_260_101;

/** Of what few operations show: one that does, which the differential test runs as well. */
export const foundBy: Readonly<Record<string, number>> = {
  'no object is required': 20_682_101,
  'no list is required': 20_489_101,
  'a time is printed as it came': 20_500_101,
  'an object of another kind is a webhook': 21_177_101,
  'the text behind the last root is forgotten': 20_291_101,
  'the kind of the page is not looked at': 20_283_101,
  'filters are ignored': 20_473_101,
  'of a list within a list another is printed': 20_312_101,
};

/** The subject with a fault. */
export type Fault = (subject: Subject) => Subject;

/** A compiler that compiles another operation than it was given. */
const compiling =
  (
    change: Partial<{ document: (document: DocumentNode) => DocumentNode; values: (values: Values) => Values }>,
  ): Fault =>
  (subject) => ({
    ...subject,
    compile(schema, ports, given, operation, values) {
      const document = change.document?.(given) ?? given;
      // The same operation of the changed document.
      const chosen = document.definitions[given.definitions.indexOf(operation)] as typeof operation;
      return subject.compile(schema, ports, document, chosen, change.values?.(values) ?? values);
    },
  });

/** A compiler that makes something else of an operation. */
const compiled =
  (change: (operation: CompiledOperation) => CompiledOperation): Fault =>
  (subject) => ({ ...subject, compile: (...given) => change(subject.compile(...given)) });

const roots = (change: (root: CompiledOperation['roots'][number]) => object): Fault =>
  compiled((operation) => ({
    ...operation,
    roots: operation.roots.map((root) => ({ ...root, ...change(root) })),
  }));

const plans = (change: (plan: SplicePlan) => SplicePlan): Fault =>
  compiled((operation) => ({ ...operation, plan: change(operation.plan) }));

/** A compiler that makes something else of the lists within lists. */
const innerLists = (change: (list: CompiledReading) => object): Fault => {
  const changed = (list: CompiledReading): CompiledReading => ({
    ...list,
    ...change(list),
    inner: list.inner.map(changed),
  });
  return roots(({ inner }) => ({ inner: inner.map(changed) }));
};

/** A compiler that writes other steps. @param change of each step, after those in it; several or none may take its place */
const parts = (change: (part: Part) => Part | readonly Part[]): Fault => {
  const all = (list: readonly Part[]): Part[] => list.flatMap((part) => change(inside(part)));
  const inside = (part: Part): Part => {
    if (part.kind === 'switch') {
      const cases = Object.fromEntries(Object.entries(part.cases).map(([key, each]) => [key, all(each)]));
      return { ...part, cases };
    }
    return 'parts' in part ? { ...part, parts: all(part.parts) } : part;
  };
  return plans(({ shape, templates }) => ({ shape, templates: templates.map(all) }));
};

/** A runner whose splices print something else. */
const printing =
  (change: (options: PrintOptions) => PrintOptions): Fault =>
  (subject) => ({
    ...subject,
    splicer: {
      open(plan) {
        const splice = subject.splicer.open(plan);
        // What is not changed keeps its own `this`.
        const print: Splice['print'] = (template, scanned, options) => splice.print(template, scanned, change(options));
        return new Proxy(splice, {
          get(target, name) {
            if (name === 'print') return print;
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
      },
    },
  });

type AnyPages = PageSource<never, { readonly items: readonly unknown[]; readonly cursor: string | null }>;

/** Reads for other requests. */
const asking = (change: (request: { limit: number }) => object): Fault =>
  reading(({ read }) => ({
    read: (context, requests: readonly { limit: number }[], keys) => read(context, requests.map(change) as never, keys),
  }));

/** A runner that reads pages in another way. @param change gets the kind of the page, too */
const reading =
  (change: (pages: AnyPages, object: string) => Partial<PageSource<never, never>>): Fault =>
  (subject) => {
    const changed = <Port extends { readonly pages?: AnyPages }>(port: Port, object: string): Port =>
      port.pages === undefined ? port : { ...port, pages: { ...port.pages, ...change(port.pages, object) } };
    return {
      ...subject,
      run(operation, values, context, splicer) {
        const { posts, webhooks } = context.ports;
        const lists = { posts: changed(posts, 'PostList'), webhooks: changed(webhooks, 'WebhookList') };
        return subject.run(operation, values, { ...context, ports: { ...context.ports, ...lists } }, splicer);
      },
    };
  };

const optional = (part: Part): Part => ('required' in part ? { ...part, required: false } : part);

const texts = (change: (text: string) => string) =>
  parts((part) => (part.kind === 'text' ? { ...part, text: change(part.text) } : part));

const leaves = (change: (leaf: Extract<Part, { kind: 'leaf' }>) => Part) =>
  parts((part) => (part.kind === 'leaf' ? change(part) : part));

const rotated = <T>([first, ...rest]: readonly T[]): T[] => (first === undefined ? [] : [...rest, first]);

const without = (name: string) => (document: DocumentNode) =>
  visit(document, { Directive: ({ name: { value } }) => (value === name ? null : undefined) });

const flipped = (values: unknown) =>
  Object.fromEntries(
    Object.entries(values as object).map(([name, value]) => [name, name.startsWith('flag') ? !value : value]),
  );

export const faults: Readonly<Record<string, Fault>> = {
  'nothing is required': parts(optional),
  'no leaf is required': leaves(optional),
  'no object is required': parts((part) => (part.kind === 'object' ? optional(part) : part)),
  'no list is required': parts((part) => (part.kind === 'list' ? optional(part) : part)),
  'an optional value is left out': leaves((leaf) => (leaf.required ? leaf : { kind: 'text', text: 'null' })),
  'a time is printed as it came': leaves((leaf) =>
    leaf.key === 'parsed_datetime' ? { ...leaf, rule: 'string' } : leaf,
  ),
  'a word is printed as it came': leaves((leaf) =>
    typeof leaf.rule === 'object' ? { ...leaf, rule: 'string' } : leaf,
  ),
  'an unknown word is another one': leaves((leaf) =>
    typeof leaf.rule === 'object' ? { ...leaf, rule: { ...leaf.rule, otherwise: '"LIKE"' } } : leaf,
  ),
  'words are mixed up': leaves((leaf) => {
    if (typeof leaf.rule !== 'object') return leaf;
    const { mapping, otherwise } = leaf.rule;
    const names = rotated(Object.values(mapping));
    return {
      ...leaf,
      rule: {
        mapping: Object.fromEntries(Object.keys(mapping).map((key, at) => [key, names[at] as string])),
        otherwise,
      },
    };
  }),
  'the first word is forgotten': leaves((leaf) =>
    typeof leaf.rule === 'object'
      ? { ...leaf, rule: { ...leaf.rule, mapping: Object.fromEntries(Object.entries(leaf.rule.mapping).slice(1)) } }
      : leaf,
  ),
  'the other type is chosen': parts((part) => {
    if (part.kind !== 'switch') return part;
    const cases = rotated(Object.values(part.cases));
    return { ...part, cases: Object.fromEntries(Object.keys(part.cases).map((key, at) => [key, cases[at] as Part[]])) };
  }),
  'an object of another kind is a webhook': parts((part) =>
    part.kind === 'switch' && part.key === 'object' ? Object.values(part.cases).flat() : part,
  ),
  'the first of a list is not looked at': parts((part) =>
    part.kind === 'first' ? { kind: 'text', text: 'null' } : part,
  ),
  'what is not known by the first of a list is the same': leaves((leaf) =>
    typeof leaf.rule === 'object' && leaf.rule.otherwise === 'null'
      ? { ...leaf, rule: { ...leaf.rule, otherwise: '"MESSAGING"' } }
      : leaf,
  ),
  'aliases are forgotten': texts((text) => text.replaceAll('"as_', '"')),
  'the name of a type is wrong': texts((text) => text.replaceAll('"PnetAuthor"', '"PhotonetAuthor"')),
  'an object begins with a comma': texts((text) => (text.startsWith(',') ? text : text.replace('{"', '{,"'))),
  'brackets of windows are forgotten': parts((part) => (part.kind === 'text' && part.text === '[' ? [] : part)),
  'entries of lists are forgotten': parts((part) => (part.kind === 'list' ? { kind: 'text', text: '[]' } : part)),
  'the bracket of an id is forgotten': parts((part) => (part.kind === 'base64url' ? { ...part, suffix: '' } : part)),
  'an id is the one of the network': parts((part) =>
    part.kind === 'base64url' ? { kind: 'leaf', key: part.key, rule: 'string', required: true } : part,
  ),
  'ids are of another account': roots(({ parameters }) => ({
    parameters: parameters.map((each) => (connection: never) => each(connection, 'acc-2')),
  })),
  'ids are of no account': roots(({ parameters }) => ({
    parameters: parameters.map((each) => (connection: never) => each(connection, '')),
  })),
  'the first parameter is passed for all': printing((options) => ({
    ...options,
    parameters: options.parameters.map(() => options.parameters[0] ?? ''),
  })),
  'roots have the template of the first': roots(() => ({ template: 0 })),
  'the text before a root is forgotten': compiled((operation) => ({
    ...operation,
    roots: operation.roots.map((root, at) => (at === 0 ? root : { ...root, before: ',' })),
  })),
  'the text behind the last root is forgotten': compiled((operation) => ({ ...operation, after: '}}' })),
  'roots are printed in another order': compiled((operation) => ({ ...operation, roots: rotated(operation.roots) })),
  'the last root is forgotten': compiled((operation) => ({
    ...operation,
    roots: operation.roots.length > 1 ? operation.roots.slice(0, -1) : operation.roots,
  })),
  '@skip is ignored': compiling({ document: without('skip') }),
  '@include is ignored': compiling({ document: without('include') }),
  'the values of directives are the opposite': compiling({ values: flipped }),
  'directives of fragments are ignored': compiling({
    document: (document) =>
      visit(document, {
        InlineFragment: (node) => ({ ...node, directives: [] }),
        FragmentSpread: (node) => ({ ...node, directives: [] }),
      }),
  }),
  'the plan of other values is taken': compiling({ values: () => ({ flag0: true, flag1: true, flag2: true }) }),
  'a fragment is not spread': compiling({
    document: (document) =>
      visit(document, {
        SelectionSet: ({ selections }) =>
          selections.length > 1 && selections.some(({ kind }) => kind === 'FragmentSpread')
            ? { kind: 'SelectionSet' as never, selections: selections.filter(({ kind }) => kind !== 'FragmentSpread') }
            : undefined,
      }),
  }),
  'the window begins one too late': printing((options) => ({ ...options, from: options.from + 1, to: options.to + 1 })),
  'the window begins at the page': printing((options) => ({ ...options, from: 0, to: options.to - options.from })),
  'the window ends one too early': printing((options) => ({ ...options, to: options.to - 1 })),
  'the window ends with the page': printing((options) => ({ ...options, to: 100 })),
  'cursors are those of the edge before': printing((options) => ({
    ...options,
    itemParameters: options.itemParameters.map(([first, ...rest]) =>
      first === undefined ? [] : [first, first, ...rest],
    ),
  })),
  'cursors are those of the edge behind': printing((options) => ({
    ...options,
    itemParameters: options.itemParameters.map(rotated),
  })),
  'the cursor of the request is forgotten': asking((request) => ({ ...request, cursor: undefined })),
  'the kind of the author is forgotten': asking((request) => ({ ...request, is_company: undefined })),
  'one post too few is read': asking((request) => ({ ...request, limit: request.limit - 1 })),
  'all pages are of one author': asking((request) => ({ ...request, identifier: 'ACo1' })),
  'every page is the last': reading(({ page }) => ({
    page: (metadata) => ({ ...page(metadata), cursor: null }) as never,
  })),
  'no page is the last': reading(({ page }) => ({
    page: (metadata) => ({ ...page(metadata), cursor: 'next' }) as never,
  })),
  'the cursor of the page is another one': reading(({ page }) => ({
    page: (metadata) => {
      const read = page(metadata);
      return { ...read, cursor: read.cursor && `${read.cursor}x` } as never;
    },
  })),
  'the kind of the page is not looked at': reading(({ page }, object) => ({
    page: (metadata) => page({ ...metadata, object }) as never,
  })),
  'filters are ignored': reading(({ differs }) => ({
    differs: (caller) => differs?.(caller, {} as never),
  })),
  'keys that are limited see all': reading(({ differs }) => ({
    differs: (caller, request) => differs?.({ ...caller, accountIds: null }, request),
  })),
  'values are shown without the scope': compiled((operation) => ({ ...operation, scopes: new Set() })),
  'values beside items are forgotten': parts((part) => (part.kind === 'parameter' ? [] : part)),
  'lists within a list are in another order': printing((options) => ({
    ...options,
    inner: options.inner && rotated(options.inner),
  })),
  'of a list within a list another is printed': roots(({ inner }) => ({ inner: rotated(inner) })),
  'lists within a list are shown to their end': printing((options) => ({
    ...options,
    inner: options.inner?.map((print) => ({ ...print, to: 100 })),
  })),
  'lists within a list are as long as their default': innerLists(() => ({ args: () => ({ first: 100 }) })),
  'the service is told that people are no companies': innerLists(({ given }) => ({
    given: given && { ...given, flags: {} },
  })),
  'ids within a list within a list are of no account': innerLists(({ parameters }) => ({
    parameters: parameters.map((each) => (connection: never) => each(connection, '')),
  })),
};
