/** What units of version 0.2 start. */
import './app/main.js';
