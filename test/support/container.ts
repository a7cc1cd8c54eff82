/**
 * Builds a Dockerfile and runs the result without a container engine: with overlay mounts, chroot and namespaces. In place
 * of `node:26-slim`, which a machine without an engine cannot pull, stands what that consists of: Debian's smallest system,
 * made by debootstrap, with the Node.js of the project, npm, and the user `node`.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, type ImageConfig, parseDockerfile } from './dockerfile.ts';

const project = join(import.meta.dirname, '../..');
const baseImage = join(project, 'node_modules/.cache/postern-base-image');
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface Image {
  readonly config: ImageConfig;
  /** The time that the instructions took, in milliseconds. */
  readonly builtInMs: number;
  /** Starts a container whose file system cannot be written to, but for the volume `/data`. It reaches no network. */
  start(environment: Readonly<Record<string, string>>, user?: string): Container;
  /** Whether a path is in the image. */
  has(file: string): boolean;
  [Symbol.dispose](): void;
}

export interface Container {
  readonly child: ChildProcess;
  output(): string;
  /** Resolves when the output has a text; rejects when the container ends without it. */
  says(text: string): Promise<void>;
  /** The process with the number 1 in the container, by its number on this machine. */
  pid(): number;
  /** Runs a command in the container, as `docker exec` does. */
  exec(
    command: readonly string[],
    options?: { user?: string; environment?: Record<string, string> },
  ): {
    code: number | null;
    text: string;
  };
}

export function buildImage(): Image {
  makeBaseImage();
  const layers = mkdtempSync(join(tmpdir(), 'postern-image-'));
  const at = (name: string) => join(layers, name);
  for (const name of ['upper', 'work', 'root', 'volume']) mkdirSync(at(name));
  const overlay = `mount -t overlay overlay -o lowerdir=${baseImage},upperdir=${at('upper')},workdir=${at('work')} ${at('root')}`;
  const startedAt = performance.now();
  const config = build(parseDockerfile(readFileSync(join(project, 'Dockerfile'), 'utf8')), {
    copy: (sources, target) =>
      inMounts([
        overlay,
        ...(target.endsWith('/') ? [`mkdir -p ${at('root')}${target}`] : [`mkdir -p ${dirname(at('root') + target)}`]),
        `cp -R ${sources.map((source) => join(project, source)).join(' ')} ${at('root')}${target}`,
      ]),
    run: (script, flags, image) =>
      inMounts([
        overlay,
        `mount -t proc proc ${at('root')}/proc`,
        ...flags.flatMap((flag) => cacheMount(flag, at('root'))),
        ...certificateMount(at('root')),
        `mkdir -p ${at('root')}${image.directory}`,
        command(at('root'), image, ['sh', '-c', script], { ...image.environment, ...npmSettings() }),
      ]),
  });
  const builtInMs = Math.round(performance.now() - startedAt);
  return {
    config,
    builtInMs,
    has: (file) => [at('upper'), baseImage].some((layer) => existsSync(layer + file)),
    start(environment, user = config.user) {
      // A new volume gets the owner that the image gives its folder.
      const { uid, gid, mode } = statSync(`${at('upper')}/data`);
      chownSync(at('volume'), uid, gid);
      chmodSync(at('volume'), mode);
      const script = [
        overlay,
        `mount --bind ${at('volume')} ${at('root')}/data`,
        `mount -t proc proc ${at('root')}/proc`,
        `mount -o remount,ro ${at('root')}`,
        'ip link set lo up',
        `exec ${command(at('root'), { ...config, user }, config.command, { ...config.environment, ...environment })}`,
      ].join(' && ');
      const child = spawn('unshare', [...namespaces, 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      const listeners = new Set<() => void>();
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          for (const listener of listeners) listener();
        });
      }
      const pid = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());
      return {
        child,
        pid,
        output: () => output,
        says: (text) =>
          new Promise((resolve, reject) => {
            const look = () => output.includes(text) && resolve();
            listeners.add(look);
            child.once('close', () => reject(new Error(`The container ended:\n${output}`)));
            look();
          }),
        exec(words, { user = config.user, environment: more = {} } = {}) {
          const entered = ['--target', String(pid()), '--mount', '--net', '--pid', 'sh', '-c'];
          const variables = { ...config.environment, ...environment, ...more };
          const text = command(at('root'), { ...config, user }, words, variables);
          const { status, stdout, stderr } = spawnSync('nsenter', [...entered, text], { encoding: 'utf8' });
          return { code: status, text: stdout + stderr };
        },
      };
    },
    [Symbol.dispose]: () => rmSync(layers, { recursive: true, force: true }),
  };
}

const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child'];

/** Runs commands of which each needs the mounts of those before. The mounts end with them. */
const inMounts = (commands: readonly string[]) =>
  execFileSync('unshare', ['--mount', 'sh', '-c', commands.join(' && ')], { stdio: ['ignore', 'pipe', 'pipe'] });

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** As /etc/passwd has them; whoever is not in it gets the group 0. */
const groupOf: Readonly<Record<string, string | number>> = { root: 0, node: 1000, '1000': 1000 };

/** A command line that runs words in a root as the user and in the folder of an image, with nothing else in its environment. */
function command(
  root: string,
  { user, directory }: Pick<ImageConfig, 'user' | 'directory'>,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): string {
  // A user without an entry has no home.
  const home = { root: '/root', node: '/home/node', '1000': '/home/node' }[user] ?? '/';
  const variables = Object.entries({ PATH: path, HOME: home, ...environment }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const all = ['env', '-i', `--chdir=${directory}`, ...variables, ...words];
  return `chroot --userspec=${user}:${groupOf[user] ?? 0} --groups= ${root} ${all.map(quoted).join(' ')}`;
}

/** The cache of npm on this machine stands for that of the builder. */
function cacheMount(flag: string, root: string): string[] {
  const target = /^mount=type=cache,target=(\S+)$/.exec(flag)?.[1];
  if (target === undefined) throw new Error(`The test does not know the option --${flag}`);
  return [`mkdir -p ${root}${target}`, `mount --bind ${npmConfig('cache')} ${root}${target}`];
}

/** Where this machine reaches the registry through something with a certificate of its own. */
const certificates = process.env.NODE_EXTRA_CA_CERTS;
const certificateMount = (root: string): string[] =>
  certificates === undefined ? [] : [`cp ${certificates} ${root}/tmp/certificates.crt`];
const npmSettings = (): Record<string, string> => ({
  npm_config_registry: npmConfig('registry'),
  npm_config_prefer_offline: 'true',
  ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: '/tmp/certificates.crt' }),
});

const npmConfig = (name: string): string =>
  execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** It is made once, in a minute, and kept with what else is installed. */
function makeBaseImage(): void {
  if (existsSync(baseImage)) return;
  const draft = `${baseImage}.incomplete`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(draft), { recursive: true });
  // As the image has it: Node.js 26 is linked with it.
  const packages = '--include=libatomic1';
  execFileSync('debootstrap', ['--variant=minbase', packages, 'bookworm', draft], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Not of `npm root -g`: it says where the `node` in use would have one, and that of this package has none.
  const npm = join(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()), '../..');
  mkdirSync(join(draft, 'usr/local/lib/node_modules'), { recursive: true });
  execFileSync('cp', ['-L', process.execPath, join(draft, 'usr/local/bin/node')]);
  execFileSync('cp', ['-R', npm, join(draft, 'usr/local/lib/node_modules/npm')]);
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(draft, 'usr/local/bin/npm')]);
  execFileSync('chroot', [draft, '/usr/sbin/useradd', '--uid', '1000', '--create-home', 'node']);
  renameSync(draft, baseImage);
}
