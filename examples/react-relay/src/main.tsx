import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { App } from './app.tsx';
import { environment } from './environment.ts';
import './style.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element "app"');
createRoot(root).render(
  <StrictMode>
    <RelayEnvironmentProvider environment={environment}>
      <App />
    </RelayEnvironmentProvider>
  </StrictMode>,
);
