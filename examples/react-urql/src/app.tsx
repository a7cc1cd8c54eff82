import { useSyncExternalStore } from 'react';
import { Deliveries } from './deliveries.tsx';
import { Feed } from './feed.tsx';
import { useTroubles } from './gateway.ts';
import { Publish } from './publish.tsx';

const views = { feed: ['Feed', Feed], publish: ['Publish', Publish], deliveries: ['Deliveries', Deliveries] } as const;
const isView = (name: string): name is keyof typeof views => Object.hasOwn(views, name);

const onAddress = (listener: () => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

export function App() {
  const address = useSyncExternalStore(onAddress, () => location.hash.slice(1));
  const shown = isView(address) ? address : 'feed';
  const [title, View] = views[shown];
  return (
    <>
      <header>
        <strong>Postern</strong>
        <nav aria-label="Views">
          {Object.entries(views).map(([name, [label]]) => (
            <a key={name} href={`#${name}`} aria-current={name === shown ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
      </header>
      <Troubles />
      <main>
        <h1>{title}</h1>
        <View />
      </main>
    </>
  );
}

function Troubles() {
  return (
    <div role="status" className="troubles">
      {useTroubles().map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}
