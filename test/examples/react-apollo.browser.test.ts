import { describeFaults } from './faults.ts';

describeFaults('react-apollo');
