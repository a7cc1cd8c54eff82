/** What units and scripts of version 0.2 start. */
import './main.js';
