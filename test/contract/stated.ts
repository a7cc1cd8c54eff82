/** What the contract states, as rows of text by subject: the other side of held.ts. */
import { paragraph, readTables, section, type Table, tableAt, wordsOf } from './tables.ts';

/** Rows of text by subject; their order means nothing. */
export type Facts = Readonly<Record<string, readonly string[]>>;

const upperWords = (text: string): string[] => text.match(/\b[A-Z][A-Z_]+\b/g) ?? [];
const errorTypes = (text: string): string[] => [...text.matchAll(/errors\/(\w+)/g)].map(([, name]) => name as string);

export function statedFacts(markdown: string): Facts {
  const tables = readTables(markdown);
  const at = (heading: string, lead?: string) => tableAt(tables, heading, lead);
  const edit = at('Job posting edit body', 'Only `account_id`');
  const recruiter = at('Job posting edit body', 'Recruiter block');
  const applyMethods = at('Job posting edit body', 'apply_method variants');
  const publish = at('Job publish body');
  const jobResults = at('Job results');
  const pnetPost = at('Post list', 'Pnet post');
  const attachments = at('Post list', 'Attachment variants');
  const webhook = at('Webhook (read form)');
  const create = at('4. POST /v1/webhooks', 'Common fields');
  const keys = at('4. POST /v1/webhooks', 'Allowed');
  const events = at('Events');
  return {
    ...errors(markdown, tables),
    endpoints: at('Endpoints').rows.map(([, method, path, purpose]) => `${method} ${path}: ${purpose}`),
    limits: at('Limits').rows.map(([subject, limit]) => `${subject}: ${limit}`.replaceAll('`', '')),

    workplaces: upperWords(notes(edit, 'workplace')),
    'employment statuses': upperWords(notes(edit, 'employment_status')),
    seniorities: upperWords(notes(recruiter, 'seniority')),
    'pay frequencies': upperWords(/pay_frequency` string R, one of (.*)\./.exec(markdown)?.[1] ?? ''),
    'job services': upperWords(notes(publish, 'service').split('Default')[0] ?? ''),
    'publish modes': upperWords(notes(publish, 'mode')),
    'job states': wordsOf(paragraph(markdown, 'Job states (field `job_state`): ')),
    'job states of results': wordsOf(/\((active.*?)\)/.exec(jobResults.rows.flat().join(' '))?.[1] ?? ''),
    'checkpoint types': upperWords(/type string R \((.*?)\)/.exec(jobResults.rows.flat().join(' '))?.[1] ?? ''),
    'answer types': [...markdown.matchAll(/\| answer_type .* Constant `(\w+)`/g)].map(([, type]) => type as string),
    'apply methods': applyMethods.rows.flatMap(([, fields]) => /type R constant (\w+)/.exec(fields ?? '')?.[1] ?? []),
    reactions: upperWords(notes(pnetPost, 'user_reacted')),
    providers: [...markdown.matchAll(/net post \(`provider` = `(\w+)`\)/g)].map(([, provider]) => provider as string),
    'account types': upperWords(paragraph(markdown, 'Account type values: ')),
    'trigger icons': wordsOf(paragraph(markdown, 'Trigger icon values: ')),
    'trigger contexts': upperWords(/`context` string R \((.*?)\)/.exec(markdown)?.[1] ?? ''),
    'webhook types': upperWords(notes(webhook, 'type')),
    'webhook formats': [...notes(webhook, 'format').matchAll(/\b(json|form)\b/g)].map(([word]) => word),
    'sources of the create body': wordsOf(notes(create, 'source')),
    events: events.rows.flatMap(([source, list]) => wordsOf(list ?? '').map((event) => `${source} ${event}`)),
    'data keys': keys.rows.flatMap(([source, list]) => {
      const words = (list ?? '').startsWith('none') ? ['none'] : wordsOf(list ?? '');
      return words.map((key) => `${source} ${key}`);
    }),

    'fields of the edit body': fields(edit),
    'fields of a numeric question': fields(at('Job posting edit body', 'Screening question, variant numeric')),
    'fields of a choice question': fields(at('Job posting edit body', 'Screening question, variant multiple')),
    'fields of the recruiter block': fields(recruiter),
    'fields of the publish body': fields(publish),
    'fields of the checkpoint body': fields(at('Job checkpoint body')),
    'fields of job results': jobResults.rows.flatMap(([object, list]) =>
      [...(list ?? '').matchAll(/(\w+) string (R|O)/g)].map(([, name, need]) => `${object} ${name} ${need}`),
    ),
    'fields of the post list': fields(at('Post list', '')),
    'fields of a pnet post': fields(pnetPost),
    'fields of attachments': attachments.rows.flatMap(([type, list]) => {
      const named = [...(list ?? '').replace(/\(.*?\)/g, '').matchAll(/(\w+) \w+ (R|O)/g)];
      return named.length === 0 ? [`${type} nothing more`] : named.map(([, name, need]) => `${type} ${name} ${need}`);
    }),
    'fields of a photonet post': fields(at('Post list', 'Photonet post')),
    'fields of a webhook': fields(webhook),
    'fields of the create body': fields(create),
    'fields of the list query of posts': fields(at('2. GET /v1/users')),
    'fields of the error envelope': fields(at('Errors')).map((field) => field.split(' ', 1)[0] as string),
  };
}

function notes(table: Table, field: string): string {
  const row = table.rows.find(([name]) => name === field);
  return row?.at(-1) ?? '';
}

/** `name R` or `name O` of each field of a table; a row may name several. */
function fields({ columns, rows }: Table): string[] {
  const need = columns.indexOf('R/O');
  return rows.flatMap((row) => (row[0] ?? '').split(', ').map((name) => `${name} ${row[need]}`));
}

/** The endpoints by the short names of the legend. */
const legend = (markdown: string): string[] =>
  [...paragraph(markdown, 'Legend of endpoint columns: ').matchAll(/(\w+) = (?:endpoint )?(\d)/g)].map(
    ([, name, number]) => `${number} ${name}`,
  );

/** Type and status of every error, and which endpoints may answer it. */
function errors(markdown: string, tables: readonly Table[]): Facts {
  const all = legend(markdown).map((entry) => entry.split(' ')[1] as string);
  const rows: { name: string; status: string; endpoints: string[] }[] = [];
  for (const status of ['400', '404']) {
    const { heading, rows: types } = tableAt(tables, `Status ${status}`);
    const endpoints = upperWords(/\((.*?);/.exec(heading)?.[1] ?? '');
    for (const [type] of types) rows.push(...errorTypes(type ?? '').map((name) => ({ name, status, endpoints })));
  }
  for (const status of ['401', '403']) {
    const text = section(markdown, `Status ${status} (all endpoints)`);
    rows.push(...errorTypes(text).map((name) => ({ name, status, endpoints: all })));
  }
  for (const [type, endpoints] of tableAt(tables, 'Status 422').rows) {
    const named = upperWords((endpoints ?? '').replace(/\(.*?\)/g, ''));
    rows.push(...errorTypes(type ?? '').map((name) => ({ name, status: '422', endpoints: named })));
  }
  for (const [status, types] of tableAt(tables, 'Status 500').rows) {
    rows.push(...errorTypes(types ?? '').map((name) => ({ name, status: status ?? '', endpoints: all })));
  }
  return {
    legend: legend(markdown),
    errors: rows.map(({ name, status }) => `${status} ${name}`),
    'errors by endpoint': rows.flatMap(({ name, endpoints }) => endpoints.map((endpoint) => `${endpoint} ${name}`)),
  };
}
