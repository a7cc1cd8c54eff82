/**
 * An operation as a command or program that sends it. None contains an API key, because snippets end up in tickets, chats and
 * repositories: they take it from the environment variable POSTERN_KEY.
 *
 * Each takes `{ url, query, variables }`: the endpoint as an absolute URL, the text of the document, and an object.
 */

export function curl({ url, query, variables }) {
  const { document, operationName, kind } = firstOperation(query);
  const isSubscription = kind === 'subscription';
  return [
    `curl -s${isSubscription ? 'N' : ''} ${quoted(url)}`,
    ...(isSubscription ? [`-H 'accept: text/event-stream'`] : []),
    `-H "X-API-KEY: $POSTERN_KEY" -H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify({ query: document, operationName, variables }))}`,
  ].join(' \\\n  ');
}

/** A module for Node.js. */
export const javaScript = (operation) => program(operation);

/** The same with the types that GraphQL Code Generator makes of the document, which it finds by its comment. */
export function typeScript(operation) {
  const { name, kind } = firstOperation(operation.query);
  if (name === undefined) throw new Error('Give the operation a name: its types are called after it.');
  return program(operation, typeName(name) + typeName(kind));
}

/** @param {string} [type] the name of the result's type */
function program({ url, query, variables }, type) {
  const { document, operationName, kind } = firstOperation(query);
  const lines = {
    types: type && `import type { ${type}, ${type}Variables } from './gql/graphql.ts';\n`,
    query: `const query = /* GraphQL */ ${template(document)};`,
    variables: `const variables${type ? `: ${type}Variables` : ''} = ${JSON.stringify(variables, null, 2)};\n`,
    key: `'x-api-key': process.env.POSTERN_KEY${type ? " ?? ''" : ''}`,
    sent: `{ query, ${operationName ? `operationName: '${operationName}', ` : ''}variables }`,
  };
  const body =
    kind === 'subscription'
      ? `const client = createClient({ url: '${url}', headers: { ${lines.key} } });
for await (const { data, errors } of client.iterate${type ? `<${type}>` : ''}(${lines.sent})) {
  console.dir({ data, errors }, { depth: null });
}`
      : `const response = await fetch('${url}', {
  method: 'POST',
  headers: { 'content-type': 'application/json', ${lines.key} },
  body: JSON.stringify(${lines.sent}),
});
const { data, errors }${type ? `: { data?: ${type} | null; errors?: { message: string }[] }` : ''} = await response.json();
console.dir({ data, errors }, { depth: null });`;
  return [
    kind === 'subscription' && `import { createClient } from 'graphql-sse';${type ? '' : '\n'}`,
    lines.types,
    lines.query,
    lines.variables,
    body,
    '',
  ]
    .filter((line) => line !== undefined && line !== false)
    .join('\n');
}

/** A module for Node.js with the client library of Postern. */
export function client({ url, query, variables }) {
  const { document, operationName, kind } = firstOperation(query);
  const operation = `{ query, ${operationName ? `operationName: '${operationName}', ` : ''}variables }`;
  const sent = `('${url}', ${operation}, { headers: { 'x-api-key': process.env.POSTERN_KEY } })`;
  const isSubscription = kind === 'subscription';
  return [
    `// How to install it: ${new URL('/docs/use/browser#client-library', url)}\nimport { ${isSubscription ? 'watch' : 'readResult, sendOperation'} } from 'postern/client';\n`,
    `const query = /* GraphQL */ ${template(document)};`,
    `const variables = ${JSON.stringify(variables, null, 2)};\n`,
    isSubscription
      ? `for await (const { data, errors } of watch${sent}) {\n  console.dir({ data, errors }, { depth: null });\n}`
      : `const response = await sendOperation${sent};
const { data, errors } = await readResult(response);
console.dir({ data, errors }, { depth: null });`,
    '',
  ].join('\n');
}

/** A script for Python 3, of its standard library. */
export function python({ url, query, variables }) {
  const { document, operationName, kind } = firstOperation(query);
  const isSubscription = kind === 'subscription';
  const text = document.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"');
  const values = JSON.stringify(variables, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (token) => ({ true: 'True', false: 'False', null: 'None' })[token] ?? token,
  );
  const name = operationName ? `"operationName": "${operationName}", ` : '';
  return `import json
import os
import urllib.request

query = """
${text}
"""
variables = ${values}

request = urllib.request.Request(
    "${url}",
    data=json.dumps({"query": query, ${name}"variables": variables}).encode(),
    headers={
        "content-type": "application/json",
${isSubscription ? '        "accept": "text/event-stream",\n' : ''}        "x-api-key": os.environ["POSTERN_KEY"],
    },
)
with urllib.request.urlopen(request) as response:
${
  isSubscription
    ? `    for line in response:
        if line.startswith(b"data: {"):
            print(json.dumps(json.loads(line[6:]), indent=2))`
    : '    print(json.dumps(json.load(response), indent=2))'
}
`;
}

/** A program for Go, of its standard library. */
export function go({ url, query, variables }) {
  const { document, operationName, kind } = firstOperation(query);
  const raw = (text) => `\`${text.replaceAll('`', '` + "`" + `')}\``;
  const name = operationName ? `"operationName": "${operationName}", ` : '';
  return `package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
)

const query = ${raw(document)}

const variables = ${raw(JSON.stringify(variables, null, 2))}

func main() {
	body, err := json.Marshal(map[string]any{"query": query, ${name}"variables": json.RawMessage(variables)})
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", "${url}", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
${kind === 'subscription' ? '\trequest.Header.Set("Accept", "text/event-stream")\n' : ''}	request.Header.Set("X-API-KEY", os.Getenv("POSTERN_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		log.Fatal(err)
	}
}
`;
}

/** The first operation of a document. `operationName` is needed to choose it only if there are others. */
export function firstOperation(query) {
  // What stands above the document is about the example, not about the operation.
  const document = query.replace(/^(?:\s*#.*\n)+/, '').trim();
  const operations = [...document.matchAll(/^[ \t]*(query|mutation|subscription)\b(?:\s+(\w+))?\s*[({@]/gm)];
  const [[, kind = 'query', name] = []] = operations;
  return { document, kind, name, operationName: operations.length > 1 ? name : undefined };
}

/** A name as GraphQL Code Generator writes it in types: `feedURLs` is `FeedUrLs`, `get_posts` is `Get_Posts`. */
const typeName = (name) => name.split('_').map(pascalCase).join('_');

const pascalCase = (part) =>
  part
    .split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('');

/** As a template of JavaScript. */
const template = (text) => `\`${text.replaceAll(/[`\\]|\$\{/g, '\\$&')}\``;

/** In single quotes of a POSIX shell. */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
