/**
 * `npm run build`: makes the package in `dist/`, as `npm pack ./dist` packs it. Its files stand where they stand here, as JavaScript with
 * types and source maps: Node.js strips no types below `node_modules`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

const dist = join(root, 'dist');

/** Beside the compiled source: what it serves, and what npm shows. */
const copied = ['docs', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'schema.graphql', 'src'];

/** Compiled, or compiled before. */
const isSource = (path: string): boolean => path.endsWith('.ts') || path.endsWith('splice/assembly');

/** What of package.json is for those who install it. Another Node.js is for the project alone. */
function packageFile(): object {
  const {
    name,
    version,
    private: isPrivate,
    description,
    license,
    type,
    bin,
    engines,
    dependencies,
    peerDependencies,
    peerDependenciesMeta,
    exports,
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const compiled = Object.entries<string>(exports).map(([path, source]) => {
    const module = source.replace(/\.ts$/, '');
    return [path, { types: `${module}.d.ts`, default: `${module}.js` }];
  });
  // Bundlers leave out what a page does not use of the client. The gateway registers its types where it imports them.
  const folders = readdirSync(join(root, 'src')).filter((folder) => folder !== 'client');
  const sideEffects = folders.map((folder) => `./src/${folder}/**`);
  const ours = {
    name,
    version,
    private: isPrivate,
    description,
    license,
    type,
    sideEffects,
    bin,
    engines,
    dependencies,
    peerDependencies,
    peerDependenciesMeta,
  };
  return { ...ours, exports: Object.fromEntries(compiled) };
}

export function buildPackage(): void {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  for (const path of copied)
    cpSync(join(root, path), join(dist, path), { recursive: true, filter: (source) => !isSource(source) });
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // The compiler has written the one that it has read.
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(packageFile(), null, 2)}\n`);
}

if (import.meta.main) buildPackage();
