import { ApolloProvider } from '@apollo/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from './apollo.ts';
import { App } from './app.tsx';
import './style.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element "app"');
createRoot(root).render(
  <StrictMode>
    <ApolloProvider client={client}>
      <App />
    </ApolloProvider>
  </StrictMode>,
);
