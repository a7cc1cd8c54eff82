import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { devProxy } from 'postern/client';
import { defineConfig } from 'vite';
import { address } from './settings.ts';

/** Without a key in the environment: that of the demo workspace. */
const keyFile = process.env.POSTERN_KEY_FILE || '../../.data/demo-key';
const key = () => process.env.POSTERN_KEY || readFileSync(keyFile, 'utf8').trim();
const port = Number(process.env.PORT || 5173);
const loopback = { host: '127.0.0.1', port, strictPort: true, proxy: devProxy({ url: address, key }) };

export default defineConfig({ plugins: [react()], server: loopback, preview: loopback });
