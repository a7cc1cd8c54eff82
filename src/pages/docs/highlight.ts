/** Code as HTML, with the classes that page.css colours. Loaded with the first page that shows code: no start waits for it. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import graphql from 'highlight.js/lib/languages/graphql';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { escapeText } from '../html.ts';

for (const [name, language] of Object.entries({ bash, graphql, json, typescript, yaml }))
  hljs.registerLanguage(name, language);

/** @param language as after the fence of a code block, such as `sh`; others are not coloured */
export const highlight = (code: string, language = ''): string =>
  hljs.getLanguage(language) === undefined ? escapeText(code) : hljs.highlight(code, { language }).value;
