/**
 * Runs in the browser, unbundled: starts GraphiQL, and adds a menu of examples with what they show, links to share, snippets,
 * a line about the last response, and the results of a subscription.
 */
import { offerAccounts, withAccount } from './accounts.js';
import { prepareCard, showCard } from './card.js';
import { copyText } from './clipboard.js';
import { editorTheme, foldEmptyVariables, prepareEditors, presentOperation, showOperation } from './editors.js';
import { examples } from './examples.js';
import { createFetcher } from './fetcher.js';
import { clearLog, logResult } from './log.js';
import { correctMarkup } from './markup.js';
import { client, curl, go, javaScript, python, typeScript } from './snippets.js';
import { say, showResponse } from './status.js';
import { storage } from './storage.js';
import { onKeyChange, readKey } from './stored-key.js';

const element = (id) => document.getElementById(id);
const { endpoint, introspection, signIn } = JSON.parse(element('graphiql').textContent);
const url = new URL(endpoint, location.href).href;

/** Where the first response will be: what to press, and what else there is to run. */
const welcome = element('welcome');

const touched = new Promise((resolve) => {
  for (const type of ['pointerdown', 'pointermove', 'keydown']) {
    element('root').addEventListener(type, resolve, { once: true, capture: true });
  }
});

// Monaco reads it when it is loaded, which is after this module.
globalThis.MonacoEnvironment = {
  globalAPI: true,
  // Half a megabyte, which whoever only looks does not need.
  getWorker: (_module, label) =>
    touched.then(() => new Worker(new URL(`${label}.js`, import.meta.url), { name: label })),
};

/** Loaded along with GraphiQL. Where it is missing, GraphiQL introspects, and shows why it cannot. */
const schema = introspection
  ? fetch(new URL('introspection.json', import.meta.url)).then(
      (response) => (response.ok ? response.json() : undefined),
      () => undefined,
    )
  : undefined;

const { fetcher, stop } = createFetcher(endpoint, (response) => {
  showResponse(response);
  if (response === null) {
    // For good: the response stands there from then on.
    welcome.remove();
    clearLog();
  } else if (response.result !== undefined) logResult(response.results, response.result);
  if (response?.hasWorkingKey) element('note').hidden = true;
});

/** Opens an operation in the present tab, with the key that is there. It is sent when the user runs it, by Enter. */
function open(operation) {
  stop();
  clearLog();
  showOperation(operation);
  document.querySelector('.graphiql-execute-button').focus();
}

const hasKeyboard = !matchMedia('(hover: none)').matches;

/** With the account that is chosen. */
const filled = (example) => ({ ...example, variables: withAccount(example.variables) });

function openExample(example) {
  open(filled(example));
  say(hasKeyboard ? `${example.title}: Enter runs it.` : `${example.title}: the button runs it.`);
}

/** Opens an example in this tab, or in one of the browser beside it, which gets the key of this tab. */
function openNext(example, isBeside) {
  if (isBeside) window.open(linkTo(filled(example)));
  else openExample(example);
}

/** The operation of a link: in the fragment, which no server sees, or in the query, as other pages of GraphiQL have it. */
function linked() {
  const { hash, search, pathname } = location;
  const parameters = new URLSearchParams(hash.includes('query=') ? hash.slice(1) : search);
  if (!parameters.has('query')) return null;
  // A reload shows what the operation has become, not what it was.
  history.replaceState(null, '', pathname);
  return { query: parameters.get('query'), variables: parameters.get('variables') ?? '' };
}

/** Headers are not in the link, and so no key. */
const linkTo = ({ query, variables }) => `${url}#${new URLSearchParams({ query, variables })}`.replaceAll('+', '%20');

/** The present operation as a program. @throws SyntaxError for variables that are not JSON */
function snippetIn(language) {
  const { query, variables } = presentOperation();
  return { curl, javaScript, client, typeScript, python, go }[language]({
    url,
    query,
    variables: JSON.parse(variables.trim() || '{}'),
  });
}

/** @param {() => string} make throws if there is nothing to copy */
async function copy(make, done) {
  try {
    await copyText(make());
    say(`Copied. ${done}`);
  } catch (error) {
    say(`Not copied. ${error.message}`);
  }
}

/** Called again whenever GraphiQL has drawn. */
function placeWelcome() {
  const response = document.querySelector('.graphiql-response');
  if (response === null || !welcome.hidden) return;
  response.append(welcome);
  welcome.hidden = false;
}

function listen() {
  for (const menu of [element('examples'), welcome]) {
    menu.addEventListener('click', ({ target }) => {
      const example = examples[target.closest('[data-example]')?.dataset.example];
      if (example === undefined) return;
      element('examples').hidePopover();
      openExample(example);
    });
  }
  element('share').addEventListener('click', () =>
    copy(() => linkTo(presentOperation()), 'The link holds the operation and its variables, and no key.'),
  );
  element('copy').addEventListener('click', ({ target }) => {
    const { snippet } = target.dataset;
    if (snippet === undefined) return;
    element('copy').hidePopover();
    copy(() => snippetIn(snippet), 'It takes the API key from the environment variable POSTERN_KEY.');
  });
  for (const menu of document.querySelectorAll('#examples, #copy')) {
    menu.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const items = [...menu.querySelectorAll('button')];
      items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
    });
  }
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, target } = event;
    // An editor does it by itself.
    if (key !== 'Enter' || !(ctrlKey || metaKey) || target.closest('.monaco-editor')) return;
    // Else a button or link that has the focus would be pressed as well.
    event.preventDefault();
    document.querySelector('.graphiql-execute-button').click();
  });
  addEventListener('hashchange', () => {
    const operation = linked();
    if (operation !== null) open(operation);
  });
}

function storedTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(storage.getItem('graphiql:tabState'));
    return tabs[activeTabIndex];
  } catch {
    return undefined;
  }
}

async function start() {
  const key = readKey();
  const headers = JSON.stringify({ 'X-API-KEY': key }, null, 2);
  const persistHeaders = storage.getItem('graphiql:shouldPersistHeaders') === 'true';
  // GraphiQL opens the tab that has the initial operation, or an additional one if none has.
  const first = linked() ?? storedTab() ?? Object.values(examples)[0];
  const hasKey = key !== '' || (persistHeaders && Boolean(first.headers));
  element('note').hidden = !signIn || hasKey;
  prepareCard(openNext);
  prepareEditors((query) => {
    showCard(query);
    foldEmptyVariables();
    placeWelcome();
  });
  correctMarkup(element('root'));
  globalThis.YogaGraphiQL.renderYogaGraphiQL(element('root'), {
    fetcher,
    schema: await schema,
    dangerouslyAssumeSchemaIsValid: true,
    editorTheme,
    title: 'Postern',
    headers,
    defaultTabs: [first],
    initialQuery: first.query ?? '',
    initialVariables: first.variables ?? '',
    ...(persistHeaders ? { initialHeaders: first.headers ?? headers } : {}),
    defaultEditorToolsVisibility: hasKey ? Boolean(first.variables) : 'headers',
    storage,
    // API keys are stored only if the user chooses so in the settings. The default is null, because false would hide
    // that choice.
    shouldPersistHeaders: persistHeaders || null,
    // Tabs are stored. Writing each keystroke into the URL as well would fill the browser's history.
    onEditQuery() {},
  });
  listen();
  offerAccounts();
}

// GraphiQL reads the headers of its tabs once. The tabs themselves are stored.
onKeyChange(() => location.reload());
// After GraphiQL, which is a deferred script.
addEventListener('DOMContentLoaded', start);
