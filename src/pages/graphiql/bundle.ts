/**
 * GraphiQL's bundle without what this page does not use, which is a third of what a first visit would load. The package has
 * one version (package.json), so each place is known; `place` throws where another version differs.
 */

interface Bundle {
  readonly script: string;
  /** Prettier, as a module: loaded when the user formats an operation. */
  readonly formatter: string;
  readonly styles: string;
  /** The font of the icons, which the styles name `icons.ttf`. */
  readonly icons: Buffer;
}

export const slimBundle = ({ js, css }: { readonly js: string; readonly css: string }): Bundle => {
  const { script, formatter } = withoutFormatter(withoutClients(js));
  return { script: withHistory(searchedByField(script)), formatter, ...withoutFonts(css) };
};

/** Prettier between its first and the next library; the script has it by four names. */
function withoutFormatter(js: string): Pick<Bundle, 'script' | 'formatter'> {
  const from = place(js, 'globalThis.React=', /(?<=globalThis\.React=\w+;)var /);
  const to = place(
    js,
    '.vscodeWindowId!="number"',
    /function \w+\(\w+,\w+\)\{const \w+=\w+;typeof \w+\.vscodeWindowId/,
  );
  const body = js.slice(from, to);
  const used = new Set<string>();
  const lazily = (text: string): string =>
    text.replaceAll(/Promise\.resolve\(\)\.then\(\(\)=>([\w$]+)\)/g, (whole, name: string) => {
      if (!body.includes(`const ${name}=`)) return whole;
      used.add(name);
      return `import("./formatter.js").then(formatter=>formatter.${name})`;
    });
  const script = `${lazily(js.slice(0, from))}${lazily(js.slice(to))}`;
  // A CommonJS plugin is its own namespace: the helpers that would wrap it stay in the script.
  const unwrapped = body.replaceAll(/=\w+\(\{__proto__:null,default:\w+\((\w+)\)\},\[\1\]\)/g, '=$1');
  return { script, formatter: `${unwrapped}\nexport{${[...used].join()}};\n` };
}

/** The page has a fetcher of its own: without GraphiQL's clients for HTTP, WebSocket and incremental delivery. */
function withoutClients(js: string): string {
  const from = place(js, '=WebSocket:typeof MozWebSocket', /var (\w+)=null;typeof WebSocket<"u"\?\1=WebSocket/);
  const to = place(js, ';const e=(...s)=>n.stringify(', /var \w+=\{\},\w+;function \w+\(\)/);
  const caller = js.indexOf('You are using a custom fetcher and an endpoint.');
  const call = js.slice(caller - 300, caller + 300);
  const [, client] = /useMemo\(\(\)=>new (\w+),/.exec(call) ?? [];
  const [, protocols] = /subscriptionsProtocol:(\w+)\./.exec(call) ?? [];
  return `${js.slice(0, from)}class ${client}{}const ${protocols}={};${js.slice(to)}`;
}

/** Yoga's choice of plugins is the builder of operations alone. */
function withHistory(js: string): string {
  const [, history] = /const (\w+)=\{title:"History",/.exec(js) ?? [];
  const at = place(js, 'isHeadersEditorEnabled:!0,defaultEditorTools', /(?<=plugins:\[)\w+\],schemaDescription/);
  return `${js.slice(0, at)}${history},${js.slice(at)}`;
}

const isRoot = 'name=>/^(Query|Mutation|Subscription)$/.test(name)';

/** The search of the documentation shows a hundred matches: those of operations first, and fields before types. */
function searchedByField(js: string): string {
  const typeNames = /(?<=let (\w+)=Object\.keys\(\w+\));(?=\w+&&\(\1=\1\.filter)/;
  const patches: readonly (readonly [near: string, RegExp, string])[] = [
    ['.fields.length>=100)', typeNames, `;{const isRoot=${isRoot};$1.sort((a,b)=>isRoot(b)-isRoot(a))}`],
    ['"Other results"', /\b(\w+)\.types\.map\((\w+)\),\1\.fields\.map\((\w+)\)/, '$1.fields.map($3),$1.types.map($2)'],
  ];
  return patches.reduce((text, [near, pattern, replacement]) => {
    const at = place(text, near, pattern);
    const end = at + 300;
    return `${text.slice(0, at - 30)}${text.slice(at - 30, end).replace(pattern, replacement)}${text.slice(end)}`;
  }, js);
}

/** Text is in the fonts of the system, as on the other pages; icons are in a file, which compresses to half of its text in base64. */
function withoutFonts(css: string): Pick<Bundle, 'styles' | 'icons'> {
  const fonts = new Set<string>();
  const styles = css.replaceAll(/@font-face\s*\{[^}]*\}/g, (face) => {
    const [, font] = /font-family:codicon.*url\(data:font\/ttf;base64,([^)]*)\)/.exec(face) ?? [];
    if (font === undefined || fonts.has(font)) return '';
    fonts.add(font);
    return face.replace(/url\([^)]*\)/, 'url(icons.ttf)');
  });
  const [icons, ...others] = fonts;
  if (icons === undefined || others.length > 0) throw new Error('bundle.ts is written for one font of icons');
  return { styles, icons: Buffer.from(icons, 'base64') };
}

const reach = 300;

/** Where a pattern begins, near a text that stands once in the bundle. @throws Error if the bundle is another one */
function place(bundle: string, near: string, pattern: RegExp): number {
  const at = bundle.indexOf(near);
  const from = Math.max(0, at - reach);
  const match = pattern.exec(bundle.slice(from, at + reach));
  if (at === -1 || bundle.indexOf(near, at + 1) !== -1 || match === null) {
    throw new Error(
      `bundle.ts is written for another version of GraphiQL: ${near} does not stand once beside ${pattern}`,
    );
  }
  return from + match.index;
}
