import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { App } from './app.tsx';
import './style.css';
import { client } from './urql.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element "app"');
createRoot(root).render(
  <StrictMode>
    <Provider value={client}>
      <App />
    </Provider>
  </StrictMode>,
);
